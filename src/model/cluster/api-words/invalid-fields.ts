import type { Cause, Said } from "./said.ts";

/** Without the name of the object, which the server may have made up: `Pod "web-x7k2p" is invalid: spec.…` → `spec.…`. */
export function withoutSubject({ message }: Said): string {
  return message.replace(/^\S+ "[^"]*" is (invalid|forbidden): /, "");
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
