import type { ApiMessage, FieldCause } from "./api-message.ts";

/**
 * Removes the object from a message: `Pod "web-x7k2p" is invalid: spec.…` → `spec.…`.
 * The server might have generated that name.
 */
export function withoutSubject({ message }: ApiMessage): string {
  return message.replace(/^\S+ "[^"]*" is (invalid|forbidden): /, "");
}

/**
 * Removes the operation of Server-Side Apply and its object from a message:
 * `failed to create typed patch object (…): .spec.x: …` → `spec.x: …`.
 */
export function withoutApplyPrefix({ message }: ApiMessage): string {
  return message
    .replace(/^failed to create typed patch object(?: \([^()]*\))?: \.?/, "")
    .replace(unparsablePrefix, "");
}

/**
 * Reports whether a value doesn't have the type of its field, such as an invalid quantity.
 * The API server answers as if this were an internal error.
 */
export function isUnparsable({ message }: ApiMessage): boolean {
  return unparsablePrefix.test(message);
}

/** The message prefixes of Server-Side Apply and of a creation. */
const unparsablePrefix =
  /^.*\b(?:unable to convert unstructured object to [^:]*|cannot be handled as an? \w+): (?:error decoding from json: )?/;

/**
 * Returns the type that the server couldn't parse.
 * The server doesn't name the field, and shows the value only for some types.
 */
export function unparsableType(
  said: ApiMessage,
):
  | { readonly type: "quantity" | "whole number" | "time" | "Base64"; readonly text?: string }
  | undefined {
  if (!isUnparsable(said)) return undefined;
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
  return quoted === undefined ? undefined : { type: "time", text: unquoteTime(quoted) };
}

/**
 * Removes the quotation marks. Some of the server's parsers quote a string together with its JSON
 * quotation marks.
 */
function unquoteTime(quoted: string): string {
  return quoted.replaceAll(/\\?"/g, "");
}

/**
 * Returns the fields that a kind doesn't have, or whose values have another type.
 * The strict decoder reports `unknown field "spec.replica"`. Server-Side Apply reports
 * `.spec.replica: field not declared in schema` or `.data.password: expected string, got …`.
 */
export function schemaViolationFields({ message }: ApiMessage): readonly string[] {
  const words =
    /\bunknown field "([^"]+)"|(?<=\s)\.(\S+): (?:field not declared in schema|expected )/g;
  return [...message.matchAll(words)].map(([, decoded, applied = ""]) => decoded ?? applied);
}

/**
 * Reports whether a value isn't Base64, such as a value of a Secret.
 * The API server answers as if this were an internal error.
 */
export function isNotBase64({ message }: ApiMessage): boolean {
  return /illegal base64 data/.test(message);
}

/**
 * Reports whether a labelSelector also contains a key of its matchLabelKeys or mismatchLabelKeys.
 */
export function isSelectorKeyConflict({ message }: ApiMessage): boolean {
  return /exists in both \w+LabelKeys and labelSelector/.test(message);
}

/** Reports whether two list items have the same name, or another value that must be unique. */
export function isDuplicate({ message }: ApiMessage): boolean {
  return /\bDuplicate value\b/i.test(message);
}

/**
 * Reports whether a volume has several sources.
 * One of them might exist only in the live object: the server's default, or the value of another
 * field manager. A volume without a source gets `emptyDir`, which has no owner and which an apply
 * doesn't remove. To remove it, qvs would have to patch the whole list, in which other field
 * managers can own volumes.
 */
export function isSecondVolumeSource({ message }: ApiMessage): boolean {
  return /\bmay not specify more than 1 volume type\b/.test(message);
}

/**
 * Reports whether a cause only follows from a volume with several sources.
 * For such a Pod, the server also reports that containers mount an unknown volume.
 */
export function followsFromSecondSource(
  { field }: FieldCause,
  causes: readonly FieldCause[],
): boolean {
  return /\.volumeMounts\[\d+\]\.name$/.test(field) && causes.some(isSecondVolumeSource);
}
