import { groupOf, keyOf, nameOf, type ObjectAddress } from "../../model/object.ts";
import type { RollbackObstacle, RollbackPreview } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces, type Position } from "../../model/problems/problem.ts";

interface NotReversibleInput {
  readonly rollback: RollbackPreview;
  /** The name of the deployment. */
  readonly deployment: string;
  /** The record of the current release: the place of reasons that concern no object. */
  readonly record: ObjectAddress;
  readonly placeOf: (key: string) => Position | undefined;
}

/**
 * Reports the parts that a rollback of this plan couldn't restore, while its author can avoid it
 * (docs/deploy/roll-back.md#before-the-merge).
 */
export function notReversible(input: NotReversibleInput): readonly Finding[] {
  const { to, possible, lost, reasons } = input.rollback;
  // qvs doesn't warn about something that it doesn't know.
  const blocking = possible === false ? reasons : [];
  return [
    ...blocking.map((each) =>
      toFinding(each, input, (name) => `${name} blocks a rollback to release ${to}`),
    ),
    ...lost.map((each) =>
      toFinding(each, input, (name) => `${name} isn't restored by a rollback to release ${to}`),
    ),
  ];
}

function toFinding(
  { object, what, why, fix }: RollbackObstacle,
  { record, deployment, placeOf }: NotReversibleInput,
  effectOn: (name: string) => string,
): Finding {
  const address = object ?? record;
  const key = keyOf({ ...address, group: groupOf(address.apiVersion) });
  return {
    code: "not-reversible",
    severity: "warning",
    object: address,
    what: effectOn(object === undefined ? `"${deployment}"` : nameOf(address)),
    why: why === "" ? what : `${what}. ${why}`,
    fix,
    where: declarationPlaces({ where: placeOf(key) }),
  };
}
