import type { OwnedFields } from "../../ssa/managed-fields.ts";

/** A field manager with what the live object knows of it: `"painter" (Apply, since 2024-05-01T12:00:00Z)`. */
export function describeOwner({
  manager,
  operation = "",
  subresource = "",
  time = "",
}: Pick<OwnedFields, "manager"> & Partial<OwnedFields>): string {
  const facts = [
    operation,
    subresource === "" ? "" : `subresource ${subresource}`,
    time === "" ? "" : `since ${time}`,
  ].filter((fact) => fact !== "");
  return `"${manager}"${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}
