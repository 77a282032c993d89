import type { Cause, Said } from "./said.ts";

/** Without the name of the object, which the server may have made up: `Pod "web-x7k2p" is invalid: spec.…` → `spec.…`. */
export function withoutSubject({ message }: Said): string {
  return message.replace(/^\S+ "[^"]*" is (invalid|forbidden): /, "");
}

/** Without what Server-Side Apply tries to do, and to which object: `failed to create typed patch object (…): .spec.x: …` → `spec.x: …`. */
export function withoutAttempt({ message }: Said): string {
  return message
    .replace(/^failed to create typed patch object(?: \([^()]*\))?: \.?/, "")
    .replace(unreadable, "");
}

/** A value that is none of its field's type, such as a quantity, which the server answers as if it were its own failure. */
export function isUnreadable({ message }: Said): boolean {
  return unreadable.test(message);
}

/** In the words of Server-Side Apply, or of a creation. */
const unreadable =
  /^.*\b(?:unable to convert unstructured object to [^:]*|cannot be handled as an? \w+): (?:error decoding from json: )?/;

/** What kind of value could not be read; the server names no field, and the value only of some. */
export function unreadableType(
  said: Said,
):
  | { readonly type: "quantity" | "whole number" | "time" | "Base64"; readonly text?: string }
  | undefined {
  if (!isUnreadable(said)) return undefined;
  if (isNotBase64(said)) return { type: "Base64" };
  const { message } = said;
  if (/: (?:quantities must match|unable to parse (?:numeric part of )?quantity)/.test(message)) {
    return { type: "quantity" };
  }
  if (
    /\bcannot convert float64 to u?int|\bcannot unmarshal number \S+ into Go (?:value|struct field \S+) of type u?int/.test(
      message,
    )
  ) {
    return { type: "whole number" };
  }
  const [, quoted] = /\bparsing time ("(?:[^"\\]|\\.)*") as /.exec(message) ?? [];
  return quoted === undefined ? undefined : { type: "time", text: timeIn(quoted) };
}

/** Some of its parsers quote the text with the quotation marks that it has in JSON. */
function timeIn(quoted: string): string {
  return quoted.replaceAll(/\\?"/g, "");
}

/**
 * The fields that a kind does not have, or has for values of another type, in the words of the strict decoder (`unknown field "spec.replica"`)
 * and of Server-Side Apply (`.spec.replica: field not declared in schema`, `.data.password: expected string, got …`).
 */
export function misfitFields({ message }: Said): readonly string[] {
  const words =
    /\bunknown field "([^"]+)"|(?<=\s)\.(\S+): (?:field not declared in schema|expected )/g;
  return [...message.matchAll(words)].map(([, decoded, applied = ""]) => decoded ?? applied);
}

/** A value that is not Base64, such as one of a Secret, which the server answers as if it were its own failure. */
export function isNotBase64({ message }: Said): boolean {
  return /illegal base64 data/.test(message);
}

/** A key of matchLabelKeys or mismatchLabelKeys that the labelSelector beside it names, too. */
export function isAboutSelectorKeys({ message }: Said): boolean {
  return /exists in both \w+LabelKeys and labelSelector/.test(message);
}

/** Two items of a list have the same name, or the same of something else that must differ. */
export function isDuplicate({ message }: Said): boolean {
  return /\bDuplicate value\b/i.test(message);
}

/** A volume has several sources, of which one may be live alone: the server's default, or what another manager has put there. */
export function isSecondSource({ message }: Said): boolean {
  return /\bmay not specify more than 1 volume type\b/.test(message);
}

/** Of a Pod with such a volume the server also says that containers mount a volume that is not there. */
export function isAfterSecondSource({ field }: Cause, causes: readonly Cause[]): boolean {
  return /\.volumeMounts\[\d+\]\.name$/.test(field) && causes.some(isSecondSource);
}
