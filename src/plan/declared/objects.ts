import type { ApplyTimeReference, IgnoredSecretField } from "../../model/apply-time-reference.ts";
import type { Stage } from "../../model/compilation.ts";
import type { PathStep } from "../../model/fields/ignore-paths.ts";
import type { KubeObject, ObjectId } from "../../model/object.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { DeclaredNulls } from "./nulls.ts";
import type { UnsettledText } from "./references.ts";

/*
 * One object on its way from a manifest to what is sent. What a phase finds out is a member of the next type, so that the compiler
 * finds a phase that was left out.
 */

/** As it is declared, normalised: from `declareObjects`. */
export interface DeclaredObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation. */
  readonly resource: string;
  readonly object: KubeObject;
  /** Where an adapter declares it; unknown for one that a release recorded. */
  readonly where?: Position;
  /** Resource ids that it waits for, besides its annotations. */
  readonly dependsOn: readonly string[];
  /** References that were left for later: a token stands in the place of each until `substituteKnownValues`. */
  readonly references: readonly UnsettledText[];
  /** What of the manifest is not in `object`, since only the cluster writes it: paths for people. */
  readonly leftOut?: readonly string[];
  /** Nulls of the manifest that are not in `object`, since the API server would not store them. */
  readonly nulls?: DeclaredNulls;
}

/** With its number in `object`: from `numberRevisions`. */
export interface NumberedObject extends DeclaredObject {
  /** undefined for what is not versioned, or was not when it was made. */
  readonly revision: string | undefined;
}

/** Without what is left to others in `object`: from `ignoreChanges`. */
export interface PreparedObject extends NumberedObject {
  /** undefined for an object that is new, or that nothing is ignored of. */
  readonly ignoring: Ignoring | undefined;
}

interface Ignoring {
  /** The whole manifest, with what is not sent. */
  readonly declared: KubeObject;
  /** Set when live values go along: the update must not happen if they have changed since they were read. */
  readonly resourceVersion: string | undefined;
  /** What stays as it is, in the manifest's own terms. */
  readonly paths: readonly (readonly PathStep[])[];
  /** What is sent where the object is made again: all that is to stay goes along, as nobody owns it then. */
  readonly recreated: KubeObject;
}

/** With a value in `object` in place of every token: from `substituteKnownValues`. */
export interface ResolvedObject extends PreparedObject {
  readonly late: readonly ApplyTimeReference[];
  /** What is ignored and may hold a Secret's value. */
  readonly ignoredSecretFields: readonly IgnoredSecretField[];
  /** In a preview, the object with the declared values of Secrets: it is compared, but never sent. */
  readonly provable: KubeObject | undefined;
  /** What is sent where the object is made again. */
  readonly recreated: Pick<ResolvedObject, "object" | "late">;
}

/** With what earlier releases put into the live object from Secrets: from `markPreviousSecretValues`. */
export interface MarkedObject extends ResolvedObject {
  readonly previousSecretValues: readonly string[];
  /** As in `SecretHolder`. */
  readonly written: ReadonlySet<string> | undefined;
  /** Another text stands now where a Secret's value was. */
  readonly replacesSecret: boolean;
}

/** All that planning must know of it: from `withhold`. */
export interface DesiredObject extends MarkedObject {
  /** Why a preview asks nobody about it. */
  readonly unasked: string | undefined;
}
