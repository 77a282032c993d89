import { stages } from "../../model/compilation.ts";
import type { DesignPatternUse } from "../../model/config.ts";
import type { Json } from "../../model/json.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import { looksSecret } from "../../redaction/looks-secret.ts";
import { readsLikeSecret } from "../../redaction/secret-like.ts";
import { holdsSecret } from "../../redaction/secrets-within.ts";
import type { Adapter } from "../load-adapter.ts";
import type { ResourceValues } from "../resource-values.ts";

/**
 * Which values a message may quote. A compile problem ends in a public comment, so the rule errs on the side of hiding:
 * nothing is quoted whose name looks like a secret, that came from the command line, or that may become a value of a
 * Secret.
 */
export interface Quoting {
  /** Texts that no message may contain. */
  readonly secrets: readonly string[];
}

/** Shorter texts are in every message; where they are alone, the names of their fields hide them. */
const shortestSecret = 3;

/** The params of a use that may not be quoted by name. */
export function hiddenParams({ params }: DesignPatternUse): ReadonlySet<string> {
  const hidden = params.filter(
    ({ name, value, from, inline }) =>
      inline === true || holdsSecret(name, value) || from.some(looksSecret),
  );
  return new Set(hidden.map(({ name }) => name));
}

/** For the resources of a config: where one of them is a Secret, any param can have become its value. */
export function quotingOf(
  uses: readonly DesignPatternUse[],
  resources: ResourceValues,
  cue: Cue,
): Quoting {
  const all = stages.flatMap((stage) => [...resources[stage].values()]);
  const withSecret = all.some((resource) => isSecretResource(resource, cue));
  const params = uses.flatMap((use) => {
    const hidden = hiddenParams(use);
    return use.params.filter(({ name }) => withSecret || hidden.has(name));
  });
  return { secrets: params.flatMap(({ value }) => textsIn(value)) };
}

/** For the params of one use of an adapter, of which some are `wrong`; undefined where none of them may be quoted. */
export function quotingIn(
  adapter: Adapter,
  wrong: ReadonlySet<string>,
  cue: Cue,
): Quoting | undefined {
  // What an adapter passes to its composites is made from its own params, and it is unknown from which.
  if (adapter.usedBy === "adapter") return undefined;
  const right = Object.entries(adapter.sources).filter(([name]) => !wrong.has(name));
  const params = cue.struct(Object.fromEntries(right));
  if (writesSecret(cue.fill(adapter.value, ["parameters"], params), cue)) return undefined;
  const hidden = Object.entries(adapter.sources).filter(([name]) => adapter.hidden.has(name));
  return { secrets: hidden.flatMap(([, { value }]) => textsIn(value)) };
}

/**
 * An adapter can have made any other text of a secret (Base64, upper case, parts of it), so where there is one no text may be
 * quoted; only what is not text and does not hold it as it is.
 */
export function isQuotable(message: string, { secrets }: Quoting): boolean {
  if (secrets.length > 0 && /["']/.test(message)) return false;
  return !secrets.some((secret) => message.includes(secret));
}

/** A path whose steps can have been made from a value. A short text is part of many names, so it is kept. */
export function withoutSecrets(path: readonly string[], { secrets }: Quoting): readonly string[] {
  const long = secrets.filter((secret) => secret.length >= 6);
  return path.map((step) => (long.some((secret) => step.includes(secret)) ? "hidden" : step));
}

/** A Secret, or what other providers call so; also a resource whose kind can't be told. */
export function isSecretResource(resource: CueValue, cue: Cue): boolean {
  return ["kind", "type"].some((field) => {
    const value = cue.lookup(resource, [field]);
    if (value === undefined) return false;
    const exported = cue.export(value);
    if (!exported.ok || typeof exported.value !== "string") return true;
    const text = exported.value;
    return readsLikeSecret(text) || (looksSecret(text) && !onlyReferring.test(text));
  });
}

/** Kinds that name the place of a secret and contain nothing of it. */
const onlyReferring = /^(Cluster)?(ExternalSecret|SecretStore)$|^SecretProviderClass$/;

/** Whether an adapter or one of its composites has a Secret, or has resources that are not known yet. */
function writesSecret(adapter: CueValue, cue: Cue): boolean {
  const own = (["resources", "defer"] as const).some((field) =>
    stages.some((stage) => stageHasSecret(cue.lookup(adapter, [field, stage]), cue)),
  );
  return own || compositesOf(adapter, cue).some((composite) => writesSecret(composite, cue));
}

function stageHasSecret(stage: CueValue | undefined, cue: Cue): boolean {
  if (stage === undefined) return false;
  const errors = cue.validate(stage, true);
  const isOpen = errors.some(({ path }) => stages.some((name) => name === path.at(-1)));
  return isOpen || cue.fields(stage).some(({ value }) => isSecretResource(value, cue));
}

function compositesOf(adapter: CueValue, cue: Cue): readonly CueValue[] {
  const list = cue.lookup(adapter, ["composites"]);
  return (list === undefined ? [] : cue.elements(list)).flatMap((element) => {
    const pattern = cue.lookup(element, ["pattern"]);
    const params = cue.lookup(element, ["params"]);
    if (pattern === undefined) return [];
    return [params === undefined ? pattern : cue.fill(pattern, ["parameters"], params)];
  });
}

/** Every text and number within a value, as it is and as JSON. */
function textsIn(value: Json): readonly string[] {
  if (value === null || typeof value === "boolean") return [];
  if (typeof value === "object") return Object.values(value).flatMap(textsIn);
  const text = String(value);
  return [text, JSON.stringify(text).slice(1, -1)].filter((each) => each.length >= shortestSecret);
}
