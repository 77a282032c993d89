import type { DesiredObject } from "../declared/desired.ts";

/** Short enough that every kind of name can be made longer by our ending. */
const keptLength = 40;

/** The object as if there were none of its name, for a dry-run that shows what the server would make of it. */
export function underFreeName(desired: DesiredObject): DesiredObject {
  const { resourceVersion: _version, ...metadata } = desired.object.metadata;
  const name = `${desired.id.name.slice(0, keptLength)}-qvs-preview`;
  return { ...desired, object: { ...desired.object, metadata: { ...metadata, name } } };
}
