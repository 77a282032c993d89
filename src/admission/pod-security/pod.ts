import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";

/** A Pod as the standards look at it. */
export interface SecuredPod {
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
}

/** Who sets or lacks something: the Pod for all of its containers, or these by themselves. */
export interface Setters {
  readonly pod: boolean;
  readonly containers: readonly string[];
}

/** Those that run first come first, as the server names them. */
export function containersOf(spec: JsonObject): readonly Json[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list),
  );
}

/** The names of the containers of which this holds. */
export function containersThat(
  { spec }: SecuredPod,
  holds: (container: Json) => boolean,
): readonly string[] {
  return containersOf(spec)
    .filter(holds)
    .map((container) => textAt(container, "name") ?? "");
}

/** Where a security context says something that is not allowed. */
export function setIn(
  pod: SecuredPod,
  field: readonly string[],
  isBad: (value: Json) => boolean,
): Setters & { readonly values: readonly Json[] } {
  const inContext = (holder: Json) => at(holder, "securityContext", ...field);
  const isBadIn = (holder: Json) => {
    const value = inContext(holder);
    return value !== undefined && value !== null && isBad(value);
  };
  const holders = [pod.spec, ...containersOf(pod.spec)].filter(isBadIn);
  return {
    pod: isBadIn(pod.spec),
    containers: containersThat(pod, isBadIn),
    values: holders.flatMap((holder) => inContext(holder) ?? []),
  };
}

/** undefined where nobody does it. */
export function settersText({ pod, containers }: Setters): string | undefined {
  const named = containers.length === 0 ? [] : [containersText(containers)];
  const all = [...(pod ? ["pod"] : []), ...named];
  return all.length === 0 ? undefined : all.join(" and ");
}

export function containersText(names: readonly string[]): string {
  return `${plural("container", names.length)} ${quoted(names)}`;
}

/** Each once, in the order of the alphabet. */
export function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(", ");
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** Requirements about users do not hold inside of a user namespace. */
export function hasUserNamespace({ spec }: SecuredPod): boolean {
  return at(spec, "hostUsers") === false;
}

/** What Linux alone can do is not asked of it. */
export function isForWindows({ spec }: SecuredPod): boolean {
  return textAt(spec, "os", "name") === "windows";
}
