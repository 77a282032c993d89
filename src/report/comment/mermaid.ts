import { nameOf } from "../../model/object.ts";
import type { Edge, Plan } from "../../model/plan.ts";
import { mermaidLabel } from "../../redaction/markdown.ts";
import { isRelabelled } from "../diff/relabelled.ts";

interface Node {
  readonly key: string;
  readonly label: string;
  readonly look: "create" | "update" | "replace" | "delete";
  readonly after: readonly Edge[];
}

/** GitHub draws larger graphs too small to read. */
export const maxNodes = 12;

const looks = [
  "classDef create fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
  "classDef update fill:#fff8c5,stroke:#9a6700,color:#1f2328",
  "classDef delete fill:#ffebe9,stroke:#cf222e,color:#1f2328",
];
const replaceLook = "classDef replace fill:#ffebe9,stroke:#9a6700,color:#1f2328";

/**
 * The order in which a plan's changes happen, as Mermaid lines; undefined when no change waits for another one, or when
 * there are too many to draw.
 */
export function renderOrder(plan: Plan): readonly string[] | undefined {
  const nodes = [...upserts(plan), ...deletions(plan)];
  const ids = new Map(nodes.map((node, index) => [node.key, `n${index}`]));
  const links = nodes.flatMap((node) => linksTo(node, ids));
  const cleanup = cleanupLinks(nodes, ids);
  if (links.length + cleanup.length === 0 || nodes.length > maxNodes) return undefined;
  const boxes = nodes.map(
    (node) => `${ids.get(node.key)}["${mermaidLabel(node.label)}"]:::${node.look}`,
  );
  const rare = nodes.some((node) => node.look === "replace") ? [replaceLook] : [];
  return [
    "flowchart LR",
    ...[...looks, ...rare, ...boxes, ...links, ...cleanup].map((line) => `  ${line}`),
  ];
}

function upserts(plan: Plan): readonly Node[] {
  return plan.changes.flatMap((change) =>
    change.action === "unchanged" || isRelabelled(change)
      ? []
      : [{ key: change.key, label: nameOf(change.id), look: change.action, after: change.after }],
  );
}

/** The same object can be both created again and deleted only under another key, so keys are unique. */
function deletions(plan: Plan): readonly Node[] {
  return plan.deletions.map((deletion) => ({
    key: deletion.key,
    label: nameOf(deletion.id),
    look: "delete",
    after: deletion.after,
  }));
}

function linksTo(node: Node, ids: ReadonlyMap<string, string>): readonly string[] {
  const before = [...new Set(node.after.map((edge) => ids.get(edge.on)))].filter(
    (id) => id !== undefined,
  );
  return before.map((id) => `${id} --> ${ids.get(node.key)}`);
}

/** Nothing is deleted before everything new is ready: one dotted step between the last upserts and the first deletions. */
function cleanupLinks(nodes: readonly Node[], ids: ReadonlyMap<string, string>): readonly string[] {
  const gone = nodes.filter((node) => node.look === "delete");
  const made = nodes.filter((node) => node.look !== "delete");
  if (gone.length === 0 || made.length === 0) return [];
  const waitedFor = new Set(made.flatMap((node) => node.after.map((edge) => edge.on)));
  const last = made.filter((node) => !waitedFor.has(node.key));
  const first = gone.filter((node) =>
    node.after.every((edge) => !gone.some((other) => other.key === edge.on)),
  );
  return [
    'ready(["everything ready"])',
    ...last.map((node) => `${ids.get(node.key)} -.-> ready`),
    ...first.map((node) => `ready -.-> ${ids.get(node.key)}`),
  ];
}
