import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Stage } from "../model/sources/compilation.ts";
import type {
  AdapterDescription,
  ModuleListing,
  ResourceIds,
} from "../model/sources/description.ts";
import type { Cue, CueProblem, CueValue, DescribeRequest, ListRequest } from "../ports/cue.ts";
import { isPackageMissing } from "./problems/explain-message.ts";
import { explainProblem } from "./problems/explain-problem.ts";

/**
 * Describes an adapter without params: its parameters, its composites, and the resources whose ids
 * don't depend on params.
 * Returns undefined if the package doesn't exist or isn't an adapter.
 */
export function describeAdapter(
  { describe: pattern }: DescribeRequest,
  cue: Cue,
): Result<AdapterDescription | undefined> {
  const loaded = cue.load(pattern);
  if (!loaded.ok) {
    const isMissing = loaded.errors.every(isPackageMissing);
    return isMissing ? ok(undefined) : failed(loaded.errors.map((e) => loadFailure(e, pattern)));
  }
  const value = cue.lookup(loaded.value, ["DesignPattern"]);
  if (value === undefined) return ok(undefined);
  const parameters = cue.lookup(value, ["parameters"]);
  const wrong = parameters === undefined ? [] : cue.validate(parameters, false);
  if (wrong.length > 0) return failed(wrong.map((error) => contradictionProblem(error, pattern)));
  const { pipelines, ...described } = cue.describe(pattern, value);
  // A condition next to `resources` can add resources and composites.
  const hasConditions = isIncomplete(value, [], cue);
  return ok({
    ...described,
    pattern,
    compositesKnown: !hasConditions && !dependsOnParams(value, "composites", cue),
    resources: {
      appSetup: resourceIds(value, "appSetup", hasConditions, cue),
      app: resourceIds(value, "app", hasConditions, cue),
    },
    pipelinesOnly:
      pipelines &&
      !hasConditions &&
      ["resources", "composites", "defer"].every((f) => cue.lookup(value, [f]) === undefined),
  });
}

function loadFailure(error: CueProblem, pattern: string): Problem {
  const fallback = { fact: "can't be loaded", fix: "Correct the CUE source" };
  const code = "invalid-cue";
  return {
    ...explainProblem(error, { name: `Adapter "${pattern}"` }, { ...fallback, code }),
    code,
    where: error.positions,
  };
}

function contradictionProblem({ message, path, positions }: CueProblem, pattern: string): Problem {
  return {
    code: "conflicting-values",
    where: positions,
    what: `Adapter "${pattern}" declares contradictory parameters`,
    facts: [
      { label: "path", value: path.join(".") },
      { label: "cue", value: message },
    ],
    fix: "Correct the declaration in the adapter",
  };
}

function resourceIds(
  adapter: CueValue,
  stage: Stage,
  hasConditions: boolean,
  cue: Cue,
): ResourceIds {
  const parts = (["resources", "defer"] as const).flatMap((field) => {
    const part = cue.lookup(adapter, [field, stage]);
    return part === undefined ? [] : [{ field, part }];
  });
  const fields = parts.flatMap(({ part }) => cue.fields(part)).filter((each) => !each.optional);
  return {
    ids: [...new Set(fields.map(({ name }) => name))].sort(),
    // `defer` adds fields to the resources of composites. These fields have no ids of their own.
    more:
      hasConditions ||
      parts.some(
        ({ field, part }) => field === "resources" && isIncomplete(part, [field, stage], cue),
      ),
  };
}

function dependsOnParams(adapter: CueValue, field: string, cue: Cue): boolean {
  const value = cue.lookup(adapter, [field]);
  return value !== undefined && isIncomplete(value, [field], cue);
}

/**
 * Reports whether a condition or a name in the struct needs params. CUE reports such an error for
 * the struct itself and not for one of its fields.
 */
function isIncomplete(value: CueValue, at: readonly string[], cue: Cue): boolean {
  const own = ["DesignPattern", ...at].join("\0");
  return cue.validate(value, true).some(({ path }) => path.join("\0") === own);
}

/**
 * Lists the packages of every module that can be adapters, sorted. Fails if a module can't be read.
 */
export function listAdapters(_: ListRequest, cue: Cue): Result<readonly ModuleListing[]> {
  const found = cue.adapters();
  if (found.ok) return found;
  return failed(
    found.errors.map(({ message, positions }) => {
      const [{ file } = { file: undefined }] = positions;
      const name = file === undefined ? "The module" : `"${file}"`;
      return {
        ...explainProblem({ message }, { name }, unreadableModule),
        code: "invalid-module-file",
        where: positions,
      };
    }),
  );
}

const unreadableModule = {
  code: "invalid-module-file",
  fact: "can't be read",
  fix: 'Start the module with cue.mod/module.cue and `module: "example.com/name"`',
} as const;
