import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { IrreproducibleField } from "../../model/sources/compilation.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/** Reports fields of charts that each rendering makes different. */
export function notReproducible({
  plan,
  placeOf,
  irreproducible = [],
}: PreflightInput): readonly Finding[] {
  return irreproducible.flatMap((field) =>
    plan.changes
      .filter((change) => change.action !== "unchanged" && isAbout(field, change, placeOf))
      .map((change) =>
        changeFinding(change, placeOf, {
          code: "not-reproducible",
          severity: "warning",
          what: `${nameOf(change.id)} changes with each rendering`,
          why: `The template makes ${describe(field)} from chance or from the time`,
          fix: `Set the value in the values of the chart, or keep the live one: let an adapter add ${ignoreChangesAnnotation} to the object`,
          ...(field.path.length === 0 ? {} : { path: field.path, paste: [ignoringLine(field)] }),
        }),
      ),
  );
}

function isAbout(
  { kind, name, where }: IrreproducibleField,
  { id, key, action }: Pick<Change, "id" | "key" | "action">,
  placeOf: PreflightInput["placeOf"],
): boolean {
  // An object with a random name is new each time.
  const isNamed = name === "" ? action === "create" : id.name === name;
  return id.kind === kind && isNamed && placeOf(key)?.file === where.file;
}

function describe({ name, path }: IrreproducibleField): string {
  if (path.length > 0) return fieldPath(path);
  return name === "" ? "its name" : "the whole object";
}

/** Returns the annotation that keeps the live value, as YAML. */
function ignoringLine({ path }: IrreproducibleField): string {
  return `${ignoreChangesAnnotation}: '${fieldPath(path).replaceAll("'", "''")}'`;
}
