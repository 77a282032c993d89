import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import type { IrreproducibleField } from "../../model/compilation.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
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
          ...(field.path.length === 0 ? {} : { path: field.path }),
        }),
      ),
  );
}

function isAbout(
  { kind, name, where }: IrreproducibleField,
  { id, key }: Pick<Change, "id" | "key">,
  placeOf: PreflightInput["placeOf"],
): boolean {
  const isNamed = name === "" || id.name === name;
  return id.kind === kind && isNamed && placeOf(key)?.file === where.file;
}

function describe({ name, path }: IrreproducibleField): string {
  if (path.length > 0) return path.join(".");
  return name === "" ? "its name" : "the whole object";
}
