// How the page is set in this browser; one that keeps nothing has it as it was made.

export function setting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function set(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // then it holds for this page
  }
}
