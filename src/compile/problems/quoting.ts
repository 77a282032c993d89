import type { Json } from "../../model/json.ts";
import { stages } from "../../model/sources/compilation.ts";
import type { DesignPatternUse } from "../../model/sources/config.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { isSensitiveKind } from "../../redaction/sensitive-object.ts";
import { isSensitiveValue } from "../../redaction/sensitive-values.ts";
import type { Adapter } from "../load-adapter.ts";
import type { ResourceValues } from "../resource-values.ts";

/**
 * Decides which values a message can quote.
 * A compile problem appears in a public comment, so the rule prefers to hide. qvs hides a value
 * with a sensitive name, a value from the command line, and a value that a Secret can contain.
 */
export interface Quoting {
  /** Strings that must not appear in a message. */
  readonly secrets: readonly string[];
}

/**
 * Shorter strings occur in every message. Where one stands alone, the name of its field hides it.
 */
const shortestSecret = 3;

type UsedParams = Pick<DesignPatternUse, "params">;

/** Returns the names of the params whose values must be hidden. */
export function hiddenParams({ params }: UsedParams): ReadonlySet<string> {
  const hidden = params.filter(
    ({ name, value, from, inline }) =>
      inline === true || isSensitiveValue(name, value) || from.some(isSensitiveName),
  );
  return new Set(hidden.map(({ name }) => name));
}

/**
 * Returns the quoting rule for the resources of a config. If one of them is a Secret, any argument
 * can be part of its value.
 */
export function configQuoting(
  uses: readonly UsedParams[],
  resources: ResourceValues,
  cue: Cue,
): Quoting {
  const all = stages.flatMap((stage) => [...resources[stage].values()]);
  const withSecret = all.some((resource) => isSecretResource(resource, cue));
  const params = uses.flatMap((use) => {
    const hidden = hiddenParams(use);
    return use.params.filter(({ name }) => withSecret || hidden.has(name));
  });
  return { secrets: params.flatMap(({ value }) => collectStrings(value)) };
}

/**
 * Returns the quoting rule for the arguments of one use of an adapter, of which some are `wrong`.
 * Returns undefined if none of them can be quoted.
 */
export function adapterQuoting(
  adapter: Adapter,
  wrong: ReadonlySet<string>,
  cue: Cue,
): Quoting | undefined {
  // An adapter makes the arguments of its composites from its own params. qvs doesn't know from
  // which ones.
  if (adapter.usedBy === "adapter") return undefined;
  const right = Object.entries(adapter.sources).filter(([name]) => !wrong.has(name));
  const params = cue.struct(Object.fromEntries(right));
  if (producesSecret(cue.fill(adapter.value, ["parameters"], params), cue)) return undefined;
  const hidden = Object.entries(adapter.sources).filter(([name]) => adapter.hidden.has(name));
  return { secrets: hidden.flatMap(([, { value }]) => collectStrings(value)) };
}

/**
 * Reports whether a message can be shown.
 * An adapter can derive other strings from a secret, such as its Base64 or a part of it. If a
 * secret exists, a message with a quoted string is hidden. Any other message is hidden only if it
 * contains the secret itself.
 */
export function isQuotable(message: string, { secrets }: Quoting): boolean {
  if (secrets.length > 0 && /["']/.test(message)) return false;
  return !secrets.some((secret) => message.includes(secret));
}

/**
 * Returns a path in which each step that contains a secret is hidden. A short secret is part of
 * many names, so its steps stay.
 */
export function hideSecretSteps(path: readonly string[], { secrets }: Quoting): readonly string[] {
  const long = secrets.filter((secret) => secret.length >= 6);
  return path.map((step) => (long.some((secret) => step.includes(secret)) ? "hidden" : step));
}

/**
 * Reports whether a resource is a Secret, or has a type of another provider with such a name. The
 * result is also true for an unknown kind.
 */
export function isSecretResource(resource: CueValue, cue: Cue): boolean {
  return ["kind", "type"].some((field) => {
    const value = cue.lookup(resource, [field]);
    if (value === undefined) return false;
    const exported = cue.export(value);
    if (!exported.ok || typeof exported.value !== "string") return true;
    const text = exported.value;
    return isSensitiveKind(text) || (isSensitiveName(text) && !secretReferenceKinds.test(text));
  });
}

/** Kinds that refer to a secret and don't contain its value. */
const secretReferenceKinds = /^(Cluster)?(ExternalSecret|SecretStore)$|^SecretProviderClass$/;

/**
 * Reports whether an adapter or one of its composites has a Secret, or has resources that aren't
 * known yet.
 */
function producesSecret(adapter: CueValue, cue: Cue): boolean {
  const own = (["resources", "defer"] as const).some((field) =>
    stages.some((stage) => stageHasSecret(cue.lookup(adapter, [field, stage]), cue)),
  );
  return own || listComposites(adapter, cue).some((composite) => producesSecret(composite, cue));
}

function stageHasSecret(stage: CueValue | undefined, cue: Cue): boolean {
  if (stage === undefined) return false;
  const errors = cue.validate(stage, true);
  const isOpen = errors.some(({ path }) => stages.some((name) => name === path.at(-1)));
  return isOpen || cue.fields(stage).some(({ value }) => isSecretResource(value, cue));
}

function listComposites(adapter: CueValue, cue: Cue): readonly CueValue[] {
  const list = cue.lookup(adapter, ["composites"]);
  return (list === undefined ? [] : cue.elements(list)).flatMap((element) => {
    const pattern = cue.lookup(element, ["pattern"]);
    const params = cue.lookup(element, ["params"]);
    if (pattern === undefined) return [];
    return [params === undefined ? pattern : cue.fill(pattern, ["parameters"], params)];
  });
}

/** Returns every string and number in a value, both unchanged and as JSON. */
function collectStrings(value: Json): readonly string[] {
  if (value === null || typeof value === "boolean") return [];
  if (typeof value === "object") return Object.values(value).flatMap(collectStrings);
  const text = String(value);
  return [text, JSON.stringify(text).slice(1, -1)].filter((each) => each.length >= shortestSecret);
}
