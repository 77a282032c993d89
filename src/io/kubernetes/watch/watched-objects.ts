import { textAt } from "../../../model/json.ts";
import { type KubeObject, uidOf } from "../../../model/object.ts";
import type { WatchEvent } from "../../../ports.ts";

/** What a watch has told so far, so that a gap in it can be filled: no change is told twice, none is left out. */
export class WatchedObjects {
  readonly #byUid = new Map<string, KubeObject>();

  /** What must have happened since, seeing that these are all objects now. Deletions first: a name may be in use again. */
  relist(items: readonly KubeObject[]): readonly WatchEvent[] {
    const present = new Set(items.map(uidOf));
    const missing = [...this.#byUid.values()].filter((object) => !present.has(uidOf(object)));
    return [
      ...missing.flatMap((object) => this.note({ type: "DELETED", object })),
      ...items.flatMap((object) => this.note({ type: "ADDED", object })),
    ];
  }

  /** The event as it is new to the listener; none when it is not. */
  note({ type, object }: WatchEvent): readonly WatchEvent[] {
    const uid = uidOf(object);
    const known = this.#byUid.get(uid);
    if (type === "DELETED") {
      this.#byUid.delete(uid);
      return [{ type, object }];
    }
    if (known !== undefined && versionOf(known) === versionOf(object)) return [];
    this.#byUid.set(uid, object);
    return [{ type: known === undefined ? "ADDED" : "MODIFIED", object }];
  }
}

function versionOf(object: KubeObject): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}
