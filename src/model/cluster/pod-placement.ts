import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";

/** Classes without which the server refuses every Pod that names them. */
export function namedClasses(spec: JsonObject) {
  const classes = [
    { field: "priorityClassName", group: "scheduling.k8s.io", kind: "PriorityClass" },
    { field: "runtimeClassName", group: "node.k8s.io", kind: "RuntimeClass" },
  ];
  return classes.flatMap(({ field, ...kind }) => {
    const name = textAt(spec, field);
    return name === undefined ? [] : [{ ...kind, name }];
  });
}

/** Whether labels of namespaces decide what Pods it must or must not run beside. */
export function selectsNamespaces(spec: JsonObject): boolean {
  return ["podAffinity", "podAntiAffinity"].some((kind) =>
    listAt(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").some((term) =>
      isObject(at(term, "namespaceSelector")),
    ),
  );
}
