import type { OwnedFields } from "../../ssa/managed-fields.ts";

/**
 * Describes a field manager with the facts of the live object.
 * Example: `"painter" (Apply, since 2024-05-01T12:00:00Z)`.
 */
export function describeOwner({
  manager,
  operation = "",
  subresource = "",
  time = "",
}: Pick<OwnedFields, "manager"> & Partial<OwnedFields>): string {
  const facts = [
    `${operation}${subresource === "" ? "" : ` ${subresourceText(subresource)}`}`.trim(),
    time === "" ? "" : `since ${time}`,
  ].filter((fact) => fact !== "");
  return `"${manager}"${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/**
 * Describes a write through a subresource.
 * Autoscalers, and users with kubectl, change a number of replicas through `scale`.
 */
function subresourceText(subresource: string): string {
  return subresource === "scale"
    ? "through the scale subresource, like an autoscaler or kubectl scale"
    : `through the subresource ${subresource}`;
}
