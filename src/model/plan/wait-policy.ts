import { timeoutAnnotation, tolerateAnnotation, waitAnnotation } from "../annotations.ts";
import type { JsonObject } from "../json.ts";
import { annotation } from "../object.ts";
import type { Fixes } from "../problems/problem.ts";
import { readDuration, suggestDuration } from "../text/duration.ts";
import { closest, suggest } from "../text/suggest.ts";

/** The wait for one object, as its manifest declares it. */
export interface WaitPolicy {
  /** False if the object counts as ready as soon as it is written. */
  readonly isAwaited: boolean;
  /** The object's own timeout, in ms. Undefined for the timeout of the run. */
  readonly timeoutMs?: number | undefined;
  /**
   * The time, in ms, that the object can look failed before that counts. Undefined for the rule of
   * its kind.
   */
  readonly toleratedMs?: number | undefined;
}

/** The wait for an object outside this deployment. Its annotations are for its own deployment. */
export const defaultWaitPolicy: WaitPolicy = { isAwaited: true };

/**
 * Reads the annotations that control the wait (docs/reference/annotations.md#wait).
 * An invalid value, which only an earlier release can contain, has no effect.
 */
export function readWaitPolicy(manifest: JsonObject): WaitPolicy {
  const duration = (name: string) => readDuration(annotation(manifest, name) ?? "");
  return {
    isAwaited: annotation(manifest, waitAnnotation) !== "false",
    timeoutMs: duration(timeoutAnnotation),
    toleratedMs: duration(tolerateAnnotation),
  };
}

/** An annotation with a value that has no effect. */
export interface InvalidValue {
  readonly name: string;
  readonly value: string;
  readonly fixes: Fixes;
}

/** Lists the annotations about the wait whose values have no effect. */
export function invalidWaitValues(manifest: JsonObject): readonly InvalidValue[] {
  const invalid = (name: string, fixesOf: (value: string) => Fixes | undefined) => {
    const value = annotation(manifest, name);
    const fixes = value === undefined ? undefined : fixesOf(value);
    return value === undefined || fixes === undefined ? [] : [{ name, value, fixes }];
  };
  return [
    ...invalid(waitAnnotation, booleanFixes),
    ...invalid(timeoutAnnotation, durationFixes),
    ...invalid(tolerateAnnotation, durationFixes),
  ];
}

const booleans = ["true", "false"];

function booleanFixes(value: string): Fixes | undefined {
  if (booleans.includes(value)) return undefined;
  return suggest(closest(value.toLowerCase(), booleans), 'Write "false"', "remove the annotation");
}

function durationFixes(value: string): Fixes | undefined {
  if (readDuration(value) !== undefined) return undefined;
  return suggest(
    suggestDuration(value),
    "Write a number above 0 followed by s, m or h, for example 90s or 10m",
    "remove the annotation",
  );
}
