import type { User } from "./users.ts";

/** The fields of an audit event that the tests read. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: { readonly dryRun?: readonly string[] };
}

/** The kinds by `plural.group`, like in `kubectl api-resources`. */
export type Kinds = ReadonlyMap<string, string>;

/**
 * `around` also includes cluster-scoped objects, and other namespaces, whose names contain the name
 * of the namespace.
 */
export type Reach = "within" | "around";

/**
 * Returns the actual changes by a user in a namespace, and of the Namespace itself, as `verb Kind
 * namespace/name`, in the order of the answers. Excludes dry-runs, failed requests and writes of a
 * status. The verb of Server-Side Apply is `patch`. `lines` are the lines of the log that contain
 * the name of the namespace.
 */
export function writesIn(
  lines: readonly string[],
  namespace: string,
  user: User,
  kinds: Kinds,
  reach: Reach = "within",
): readonly string[] {
  const concerns = (event: AuditEvent) =>
    reach === "within" ? namespaceOf(event) === namespace : placeOf(event).includes(namespace);
  return lines
    .map((line): AuditEvent => JSON.parse(line))
    .filter((event) => concerns(event) && event.user.username === user)
    .filter(changedSomething)
    .map((event) => describe(event, kinds));
}

/**
 * Returns the namespace of an event. The event of a Namespace's creation has only a name. The
 * events of its later changes also have the namespace of that name.
 */
function namespaceOf({ objectRef: object }: AuditEvent): string | undefined {
  return object?.namespace ?? (object?.resource === "namespaces" ? object.name : undefined);
}

function placeOf({ objectRef: object }: AuditEvent): string {
  return object?.namespace ?? object?.name ?? "";
}

function changedSomething(event: AuditEvent): boolean {
  if (event.objectRef?.subresource === "status") return false;
  if ((event.responseStatus?.code ?? 500) >= 300) return false;
  // The dry-run of a deletion can be in its body. The others are in the URL.
  const inUrl = new URL(event.requestURI, "https://cluster").searchParams.has("dryRun");
  return !inUrl && event.requestObject?.dryRun === undefined;
}

function describe({ verb, objectRef: object }: AuditEvent, kinds: Kinds): string {
  const resource = [object?.resource, object?.apiGroup].filter(Boolean).join(".");
  const kind = [kinds.get(resource) ?? resource, object?.subresource].filter(Boolean).join("/");
  const where =
    object?.resource === "namespaces" || object?.namespace === undefined
      ? ""
      : `${object.namespace}/`;
  return `${verb} ${kind} ${where}${object?.name ?? "*"}`;
}
