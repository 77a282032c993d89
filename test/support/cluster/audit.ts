import type { User } from "./users.ts";

/** The fields of an audit event that we read. */
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

/** `plural.group` to kind, as `kubectl api-resources` has it. */
export type Kinds = ReadonlyMap<string, string>;

/** `around` also counts cluster-scoped objects and other namespaces that have the namespace's name in theirs. */
export type Reach = "within" | "around";

/**
 * What a user really changed in a namespace, and of the Namespace itself, in the order of the answers, as
 * `verb Kind namespace/name`. Left out are
 * dry-runs, requests that failed, and writes of a status. Server-Side Apply is the verb `patch`. `lines` are those of the log that name
 * the namespace.
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

/** The creation of a Namespace has a name only, its later changes also stand in the namespace of that name. */
function namespaceOf({ objectRef: object }: AuditEvent): string | undefined {
  return object?.namespace ?? (object?.resource === "namespaces" ? object.name : undefined);
}

function placeOf({ objectRef: object }: AuditEvent): string {
  return object?.namespace ?? object?.name ?? "";
}

function changedSomething(event: AuditEvent): boolean {
  if (event.objectRef?.subresource === "status") return false;
  if ((event.responseStatus?.code ?? 500) >= 300) return false;
  // The dry-run of a deletion may stand in its body, all others in the URL.
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
