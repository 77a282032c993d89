import type { Problem } from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { describeConstraints, describeType } from "./describe-constraints.ts";
import { explainEmbed } from "./explain-embed.ts";
import { explainExpected } from "./explain-expected.ts";
import { conflictWithoutValues, hiddenMessage } from "./without-values.ts";

/** A CUE message in words for users who don't know CUE's source. */
export interface ExplainedMessage
  extends Pick<Problem, "why" | "facts" | "otherwise">,
    Partial<Pick<Problem, "fix">> {
  /** Undefined if the caller decides it. */
  readonly code: ProblemCode | undefined;
  /** The fact, in lower case, to follow the name of the subject and a colon. */
  readonly what: string;
}

/** Explains a CUE message; undefined if it is unknown. `known` contains names to suggest. */
export function explainMessage(
  message: string,
  known: readonly string[] = [],
): ExplainedMessage | undefined {
  for (const [pattern, explain] of rules) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const groups = match.slice(1).map((group) => group ?? "");
    return explain(groups, known);
  }
  return undefined;
}

/** Reports whether loading failed because the package doesn't exist. */
export function isPackageMissing({ message }: Pick<CueProblem, "message">): boolean {
  return message.startsWith("cannot find package");
}

export function isStructuralCycle({ message }: Pick<CueProblem, "message">): boolean {
  return message.includes("structural cycle");
}

/**
 * Returns the type of a value that isn't set yet, such as `string` or `(int|bool)`. Returns
 * undefined for any other error, and for a longer type.
 */
export function incompleteType({ message }: Pick<CueProblem, "message">): string | undefined {
  return /^incomplete value ([\w()|]+)$/.exec(message)?.[1];
}

type MessageRule = readonly [
  RegExp,
  (groups: readonly string[], known: readonly string[]) => ExplainedMessage,
];

const rules: readonly MessageRule[] = [
  [/^undefined field: (.+)$/, ([name = ""], known) => unknownField(name, known)],
  [/^reference "(.+)" not found$/, ([name = ""], known) => undeclaredName(name, known)],
  [
    /^cannot reference optional field: (.+)$/,
    ([name]) => ({
      code: "incomplete-value",
      what: `optional field "${name}" has no value`,
      fix: "Set its value",
      otherwise: [`test for it first in the adapter: \`if ….${name} != _|_\``],
    }),
  ],
  [
    /^cannot call non-function ([a-z]\w*)\.(\w+) \(type _\|_\)$/,
    ([of, name]) => ({
      code: "reference-not-found",
      what: `package "${of}" has no function "${name}"`,
      fix: `Correct the name: pkg.go.dev/cuelang.org/go/pkg/${of} lists the functions`,
    }),
  ],
  [
    /^builtin package "(.+)" undefined$/,
    ([name = ""]) => ({
      code: "reference-not-found",
      what: `CUE has no package "${name}"`,
      ...suggest(
        closest(name, standardPackages),
        "Correct the import: the import path of a module begins with a domain",
      ),
    }),
  ],
  [
    /^imported and not used: "([^"]+)"/,
    ([name]) => ({
      code: "invalid-cue",
      what: `import "${name}" isn't used`,
      fix: "Remove the import",
    }),
  ],
  [
    /^(?:import failed: )*packages import each other: (.+)$/,
    ([cycle = ""]) => ({
      code: "invalid-cue",
      what: "packages import each other",
      facts: [{ label: "cycle", value: cycle }],
      fix: "Move their shared parts into a separate package",
    }),
  ],
  [
    /^(?:import failed: )*cannot read (.+): the modules contain more CUE than one evaluation can read$/s,
    ([file]) => ({
      code: "invalid-cue",
      what: `${file} exceeds the limit for CUE in one evaluation`,
      fix: "Use smaller modules",
    }),
  ],
  [
    /^builtin "(\w+)" is not available in version (\S+); it was added in version "(.+)"$/,
    ([name, declared = "", since]) => ({
      code: "cue-version-too-old",
      what: `"${name}" requires CUE ${since}`,
      facts: [{ label: "declared", value: declared }],
      fix: `Set language.version in the module's cue.mod/module.cue to "${since}"`,
    }),
  ],
  [/^((?:@embed: |cannot embed ").+)$/s, ([message = ""]) => explainEmbed(message)],
  [
    /^string literal not terminated$/,
    () => ({
      code: "invalid-cue",
      what: "a string isn't closed on its line",
      fix: "Add the closing quotation mark",
    }),
  ],
  [
    /^expected '([)\]}])', found 'EOF'$/,
    ([bracket]) => ({
      code: "invalid-cue",
      what: "a bracket isn't closed at the end of the file",
      fix: `Close it with ${bracket}`,
    }),
  ],
  [
    /^missing ',' /,
    () => ({
      code: "invalid-cue",
      what: "a comma, a line break or a colon is missing here",
      fix: "Write each field on its own line, or put a comma between two fields",
      otherwise: ["put a colon between a name and its value"],
    }),
  ],
  [
    /^expected (.+?), found (.+)$/s,
    ([expected = "", found = ""]) => ({
      code: "invalid-cue",
      ...explainExpected(expected, found),
    }),
  ],
  [
    /^invalid operand (.+) \('(&&|\|\|)' requires concrete value\)$/s,
    ([operand = "", sign = ""]) => ({
      code: "invalid-cue",
      what: `${sign} has a type as operand, not a boolean`,
      facts: [{ label: "operand", value: operand }],
      fix: `Write ${sign.slice(1)} for a value that has ${sign === "&&" ? "both types" : "one of the types"}`,
    }),
  ],
  [
    /^the language version (\S+) is newer than (\S+)$/,
    ([declared, newest = ""]) => ({
      code: undefined,
      what: `language version ${declared} is too new`,
      facts: [{ label: "newest", value: newest }],
      fix: "Declare an older version",
      otherwise: ["use a newer version of qvs"],
    }),
  ],
  [
    /^(.+) is no language version$/,
    ([version]) => ({
      code: undefined,
      what: `${version} isn't a language version`,
      fix: 'Write a version with three numbers, such as "v0.12.0"',
    }),
  ],
  [
    /^the module has no path$/,
    () => ({
      code: undefined,
      what: "the module has no path",
      fix: 'Add module: "acme.example/adapters"',
    }),
  ],
  [
    /^illegal UTF-8 encoding$/,
    () => ({
      code: "not-utf-8",
      what: "the file isn't text in UTF-8",
      fix: "Save it as UTF-8",
    }),
  ],
  [
    /^the value has several possible forms$/,
    () => ({
      code: "incomplete-value",
      what: "several forms are possible",
      fix: "Mark one of them as the default with `*`",
      otherwise: ["set the parameter that selects one"],
    }),
  ],
  [
    /^cycle with field: (.+)$/,
    ([field]) => ({
      code: "evaluation-cycle",
      what: `${field} depends on itself`,
      fix: "Compute it from another value",
    }),
  ],
  [
    /^structural cycle$/,
    () => ({
      code: "evaluation-cycle",
      what: "a struct contains itself without end",
      fix: "Make the field that contains it optional",
      otherwise: ["set the field to another value"],
    }),
  ],
  [
    /^index out of range \[(\d+)\] with length (\d+)$/,
    ([index, length]) => ({
      code: "evaluation-failed",
      what: `list item [${index}] doesn't exist`,
      facts: [{ label: "items", value: `${length}, the first is [0]` }],
    }),
  ],
  [
    /^invalid operands (.*) and (.*) to '(.+)' \(type (.+) and (.+)\)$/s,
    ([left = "", right = "", sign, one = "", other = ""]) => ({
      code: "evaluation-failed",
      what: `"${sign}" can't combine ${describeType(one)} and ${describeType(other)}`,
      facts: [
        { label: "left", value: left },
        { label: "right", value: right },
      ],
      fix: sameTypeFix,
    }),
  ],
  [
    /^invalid operands to '(.+)' \(type (.+) and (.+)\)$/,
    ([sign, one = "", other = ""]) => ({
      code: "evaluation-failed",
      what: `"${sign}" can't combine ${describeType(one)} and ${describeType(other)}`,
      fix: sameTypeFix,
    }),
  ],
  [
    /^error in call to (?:[\w/]+\/)?([\w.]+)(?:: (.*))?$/s,
    ([name, reason = ""]) => {
      const own = reason.replace(`${name}: `, "").replace(/^[:\s]+/, "");
      return {
        code: "evaluation-failed",
        what: `${name} has no result`,
        ...(own === "" ? {} : { facts: [{ label: "cue", value: own }] }),
      };
    },
  ],
  [
    /^invalid value (.*?) \((?:out of bound|does not satisfy) (.*?)\)(?:: (.*))?$/s,
    ([value = "", rule = ""]) => ({
      code: "conflicting-values",
      what: "a value isn't allowed",
      facts: [
        { label: "found", value },
        { label: "expected", value: describeConstraints([rule]) },
      ],
    }),
  ],
  [
    /^the number (.+) would change: only integers up to 2\^53 keep all digits$/,
    ([number = ""]) => ({
      code: undefined,
      what: "a number would lose digits",
      facts: [
        { label: "found", value: number },
        { label: "limit", value: "2^53" },
      ],
    }),
  ],
  [
    /^the value is (larger than \d+ MiB|nested deeper than \d+ levels)$/,
    ([limit]) => ({ code: undefined, what: `the value is ${limit}` }),
  ],
  [
    conflictWithoutValues,
    ([types = ""]) => ({
      code: undefined,
      what: "two values conflict",
      ...(types === "" ? {} : { facts: [{ label: "types", value: types }] }),
    }),
  ],
  [new RegExp(`^${hiddenMessage}$`), () => ({ code: undefined, what: hiddenMessage })],
];

const sameTypeFix = 'Convert both to one type: "\\(…)" makes a string of any value';

function unknownField(name: string, known: readonly string[]): ExplainedMessage {
  const meant = closest(
    name,
    known.filter((each) => each !== name),
  );
  return {
    code: "reference-not-found",
    what: `field "${name}" doesn't exist`,
    ...(meant === undefined
      ? { fix: "Declare the field", otherwise: ["correct the name"] }
      : { fix: `Did you mean "${meant}"?` }),
  };
}

function undeclaredName(name: string, known: readonly string[]): ExplainedMessage {
  const path = standardPackages.find((each) => each === name || each.endsWith(`/${name}`));
  if (path !== undefined) {
    return {
      code: "reference-not-found",
      what: `package "${name}" isn't imported`,
      fix: `Write \`import "${path}"\` below the package clause`,
    };
  }
  const misspelled = adapterFields.includes(name)
    ? closest(name, withoutAdapterFields(known))
    : undefined;
  if (misspelled !== undefined && !known.includes(name)) {
    return {
      code: "evaluation-failed",
      what: `"${name}" isn't declared here, but "${misspelled}" is`,
      fix: `Rename "${misspelled}" to "${name}"`,
    };
  }
  const names = [...known, ...adapterFields].filter((each) => each !== name);
  const meant = /^param/.test(name) ? "parameters" : closest(name, names);
  return {
    code: "reference-not-found",
    what: `"${name}" isn't declared here`,
    ...(meant === undefined
      ? { fix: "Declare it", otherwise: ["correct the name"] }
      : { fix: `Did you mean "${meant}"?` }),
  };
}

/** Returns the names that aren't fields of an adapter. */
function withoutAdapterFields(known: readonly string[]): readonly string[] {
  return known.filter((each) => !adapterFields.includes(each));
}

/** The fields of an adapter (docs/reference/adapters.md#fields). */
const adapterFields = ["parameters", "resources", "composites", "defer", "group"];

/** CUE's standard packages (cuelang.org/go/pkg). */
const standardPackages: readonly string[] = [
  ...[
    "crypto/ed25519",
    "crypto/hmac",
    "crypto/md5",
    "crypto/sha1",
    "crypto/sha256",
    "crypto/sha512",
  ],
  ...["encoding/base64", "encoding/csv", "encoding/hex", "encoding/json", "encoding/openapi"],
  ...[
    "encoding/toml",
    "encoding/yaml",
    "html",
    "list",
    "math",
    "math/bits",
    "net",
    "path",
    "regexp",
  ],
  ...["strconv", "strings", "struct", "text/tabwriter", "text/template", "time", "uuid"],
];
