"""All kinds of components, by the names that manifests have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from porism.searchindex.components import Component, ComponentSpec, lookup
from porism.searchindex.components.feature_index import FeatureComponent
from porism.searchindex.components.formula_vectors import FormulaVectorIndex
from porism.searchindex.components.forward_index import DocumentFormulas, FormulaTokenStore
from porism.searchindex.components.inverted_index import UnitIndex
from porism.searchindex.components.text_store import TextStore
from porism.searchindex.components.tree_store import TreeStore
from porism.searchindex.components.vector_index import VectorIndex
from porism.searchindex.components.word_counts import WordCountIndex

COMPONENT_KINDS: dict[str, type[Component]] = {
    UnitIndex.kind: UnitIndex,
    DocumentFormulas.kind: DocumentFormulas,
    FormulaTokenStore.kind: FormulaTokenStore,
    VectorIndex.kind: VectorIndex,
    FormulaVectorIndex.kind: FormulaVectorIndex,
    TreeStore.kind: TreeStore,
    FeatureComponent.kind: FeatureComponent,
    TextStore.kind: TextStore,
    WordCountIndex.kind: WordCountIndex,
}


def planned_components(specs: Sequence[ComponentSpec]) -> tuple[Component, ...]:
    """Return the empty components of an index with these specifications."""
    components = tuple(
        component for kind in COMPONENT_KINDS.values() for component in kind.planned(specs)
    )
    stored = {spec for component in components for spec in component.specs}
    missing = [spec.name for spec in specs if spec not in stored]
    if missing:
        raise ValueError(f"no kind of component stores {', '.join(missing)}")
    return components


def component_record(component: Component) -> dict[str, object]:
    """Return a component as JSON values."""
    return {"kind": component.kind, **component.record()}


def parsed_component(record: Mapping[str, Any], path: Path) -> Component:  # Any: JSON
    """Return the component that the manifest at ``path`` describes."""
    return lookup("component", record["kind"], COMPONENT_KINDS, path).from_record(record, path)
