/** One change as the API server recorded it. */
export interface AuditEvent {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** `resource/name`, with `/subresource` if there is one. */
  readonly object: string;
  /** The time in ISO 8601 with microseconds, so that times can be compared as strings. */
  readonly received: string;
  readonly answered: string;
}

/** Returns the actual changes in a namespace, in the order of the answers. */
export function eventsIn(log: string, namespace: string): readonly AuditEvent[] {
  return log
    .split("\n")
    .filter((line) => line.includes(`"${namespace}"`))
    .map((line) => JSON.parse(line))
    .filter(
      ({ objectRef, responseStatus }) =>
        objectRef?.namespace === namespace && responseStatus?.code < 300,
    )
    .filter(({ requestURI }) => !requestURI.includes("dryRun="))
    .map((event) => ({
      user: event.user.username,
      userAgent: event.userAgent ?? "",
      verb: event.verb,
      object: [event.objectRef.resource, event.objectRef.name, event.objectRef.subresource]
        .filter(Boolean)
        .join("/"),
      received: event.requestReceivedTimestamp,
      answered: event.stageTimestamp,
    }));
}

/**
 * Returns deletions of a settings ConfigMap before the new objects were ready. Ready means that the
 * new ConfigMap exists, the Deployment was updated, one of its new Pods became ready, and the
 * Deployment's controller recorded that.
 */
export function earlyDeletions(events: readonly AuditEvent[]): readonly string[] {
  return events.flatMap((event, index) => {
    const [, version] = /^configmaps\/settings-(.*)$/.exec(event.object) ?? [];
    if (event.verb !== "delete" || version === undefined) return [];
    const since = events
      .slice(0, index)
      .findLastIndex((one) => one.verb === "delete" && isOtherSettings(one, version));
    let seen = since;
    for (const [what, isMeant] of mustComeFirst(version)) {
      seen = events.findIndex(
        (one, at) => at > seen && one.answered <= event.received && isMeant(one),
      );
      if (seen < 0) return [`settings-${version} was deleted at ${event.received} before ${what}`];
    }
    return [];
  });
}

function mustComeFirst(
  old: string,
): readonly (readonly [string, (event: AuditEvent) => boolean])[] {
  return [
    ["its successor was there", (one) => one.verb === "patch" && isOtherSettings(one, old)],
    [
      "the Deployment was changed",
      (one) => one.verb === "patch" && one.object === "deployments/web",
    ],
    [
      "a new Pod was ready",
      ({ user, object }) => user === "kwok" && /^pods\/web-.*\/status$/.test(object),
    ],
    ["the rollout was seen", (one) => one.object === "deployments/web/status"],
  ];
}

function isOtherSettings({ object }: AuditEvent, version: string): boolean {
  return object.startsWith("configmaps/settings-") && object !== `configmaps/settings-${version}`;
}
