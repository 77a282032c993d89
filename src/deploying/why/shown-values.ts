import type { ShownValue } from "../../model/field-explanation.ts";
import { type FieldStep, setField, valueAtPath } from "../../model/fields/field-differences.ts";
import { sameStep } from "../../model/fields/resolve-path.ts";
import { isObject, type Json, sameJson } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import type { RecordedPath } from "../../model/release.ts";
import type { ReleaseHistory } from "../../model/release-history.ts";
import { redact } from "../../redaction/redact.ts";
import { objectHistory } from "../../releases/history.ts";
import { recordedValue } from "../../releases/queries/field-history.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";

/** Returns the value of the field in an object, or the given value, as outputs can show it. */
type Viewer = (object: KubeObject | undefined, value?: Json) => ShownValue;

/**
 * Returns a function that shows the value of a field. It hides values of Secrets, values that a
 * release copied from a Secret, and strings that contain either.
 */
export function createViewer(
  history: ReleaseHistory,
  declared: KubeObject,
  path: readonly FieldStep[],
): Viewer {
  const hides = history.releases.flatMap(secretStrings);
  const places = objectHistory(history).secretPlaces.get(keyOf(idOf(declared))) ?? [];
  const isHidden = places.some((place) => overlaps(place, path));
  return (object, given) => {
    if (object === undefined) return { type: "not set" };
    const whole = given === undefined ? object : setField(object, path, given);
    const value = isObject(whole) ? recordedValue(whole as KubeObject, path) : undefined;
    if (value === undefined) return { type: "not set" };
    const redacted = isHidden ? null : redact(whole ?? null, { hides, declared });
    const shown = valueAtPath(redacted, path);
    // A redacted object shows which of its fields are hidden. A hidden scalar differs as a whole.
    const isShown = shown !== undefined && (sameJson(shown, value) || isObject(shown));
    return isShown ? { type: "value", value: shown } : { type: "hidden" };
  };
}

/** Reports whether a recorded place is at, above or below a field. */
function overlaps(place: RecordedPath, path: readonly FieldStep[]): boolean {
  return path.every((step, index) => {
    const other = place[index];
    if (other === undefined) return true;
    if (typeof other === "string") return other === step;
    // An item without a name can be at another index in the live object.
    if (other.name === undefined || typeof step === "string") return typeof step !== "string";
    return typeof step === "number" || sameStep(step, { keys: { name: other.name } });
  });
}
