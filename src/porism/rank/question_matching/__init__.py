"""Systems that rank answers by their questions, by what people say of both, and by learning."""
