import { apart, type Fields, type GridCase, plain } from "../../../support/rollout-pieces.ts";
import { changed } from "../situations.ts";
import { around, res, runtime } from "./pieces.ts";

/** Pods that admission changes or rejects. */
const admission: readonly GridCase[] = [
  around(
    changed(
      "a limit range by ratio, above",
      res({ cpu: "1" }, { cpu: "2" }),
      res({ cpu: "1" }, { cpu: "3" }),
    ),
    limits([{ type: "Container", maxLimitRequestRatio: { cpu: "2" } }]),
  ),
  around(
    changed(
      "a limit range for the Pod by its sum with a sidecar",
      res({ cpu: "1" }, { cpu: "1" }),
      {
        ...res({ cpu: "1" }, { cpu: "1" }),
        pod: {
          initContainers: [
            {
              name: "side",
              image: "s:1",
              restartPolicy: "Always",
              resources: { limits: { cpu: "2" } },
            },
          ],
        },
      },
    ),
    limits([{ type: "Pod", max: { cpu: "2" } }]),
  ),
  around(
    changed(
      "a limit range for the Pod by its largest init container",
      res({ cpu: "1" }, { cpu: "1" }),
      {
        ...res({ cpu: "1" }, { cpu: "1" }),
        pod: {
          initContainers: [{ name: "init", image: "s:1", resources: { limits: { cpu: "2" } } }],
        },
      },
    ),
    limits([{ type: "Pod", max: { cpu: "2" } }]),
  ),
  around(
    changed(
      "a limit range with a maximum below the request, and no limit",
      res({ cpu: "1" }, { cpu: "1" }),
      res({ cpu: "3" }),
    ),
    limits([{ type: "Container", max: { cpu: "2" } }]),
  ),
  around(
    changed(
      "a limit range whose default limit is below the request",
      res({ cpu: "1" }, { cpu: "1" }),
      res({ cpu: "3" }),
    ),
    limits([{ type: "Container", default: { cpu: "2" } }]),
  ),
  around(
    changed(
      "a runtime whose nodes contradict those of the Pod",
      { pod: { nodeSelector: { grid: "CASE", pool: "a" } } },
      { pod: { nodeSelector: { grid: "CASE", pool: "a" }, runtimeClassName: "CASE" } },
      plain(3, { labels: { pool: "a" } }),
    ),
    runtime({ scheduling: { nodeSelector: { pool: "b" } } }),
  ),
  around(
    changed(
      "a runtime whose nodes are those of the Pod",
      { pod: { nodeSelector: { grid: "CASE", pool: "a" } } },
      { pod: { nodeSelector: { grid: "CASE", pool: "a" }, runtimeClassName: "CASE" } },
      plain(3, { labels: { pool: "a" } }),
    ),
    runtime({ scheduling: { nodeSelector: { pool: "a" } } }),
  ),
  around(
    changed(
      "a runtime that tolerates what the Pod does not",
      { apart: [apart()] },
      { apart: [apart()], pod: { runtimeClassName: "CASE" } },
      [...plain(3), { tainted: true }],
    ),
    runtime({ scheduling: { tolerations: [{ key: "reserved", operator: "Exists" }] } }),
  ),
  changed("a Pod that sets an overhead of no runtime", {}, { pod: { overhead: { cpu: "1" } } }),
  changed("an account that is not there", {}, { pod: { serviceAccountName: "nobody" } }),
  changed(
    "a priority by number and name that differ",
    {},
    { pod: { priorityClassName: "grid-urgent", priority: 5 } },
  ),
];

export const admissionClasses = { admission };

function limits(all: readonly Fields[]): Fields {
  const kind = { apiVersion: "v1", kind: "LimitRange" };
  return { ...kind, metadata: { name: "bounds" }, spec: { limits: all } };
}
