import type { JsonObject } from "../../model/json.ts";
import type { Notification, NotifiedRun, ServiceEffect } from "./notification.ts";

/**
 * The version of CDEvents (github.com/cdevents/spec, tag v0.5.1). Its schemas allow no other fields
 * outside of `customData`.
 */
const specversion = "0.5.1";

const effectTypes: Readonly<Record<ServiceEffect, string>> = {
  deployed: "dev.cdevents.service.deployed.0.3.0",
  upgraded: "dev.cdevents.service.upgraded.0.3.0",
  rolledback: "dev.cdevents.service.rolledback.0.3.0",
  removed: "dev.cdevents.service.removed.0.3.0",
};

const taskType = "dev.cdevents.taskrun.finished.0.3.0";

/** The version of `customData`. It increases if readers of the old form would misread the new. */
const dataVersion = 1;

/** The most findings and errors of one event, so that receivers accept its size. */
const maxCodes = 50;

/**
 * Returns the notification as a CDEvent in a CloudEvent 1.0, in JSON (structured mode).
 * A change of the running application is an event of a service. Any other result, such as a preview
 * or a failure, is the end of a task. CDEvents has no event for a failed deployment.
 */
export function cdEvent(notification: Notification, run: NotifiedRun): JsonObject {
  const { effect } = notification;
  const id = eventId(notification, run);
  const source = `${run.server}/${run.repository}`;
  const type = effect === undefined ? taskType : effectTypes[effect];
  const subject =
    effect === undefined
      ? taskSubject(notification, run, id)
      : serviceSubject(notification, run, effect);
  return {
    specversion: "1.0",
    id,
    source,
    type,
    subject: subject.id,
    time: run.at,
    datacontenttype: "application/cdevents+json",
    data: {
      context: { specversion, id, source, type, timestamp: run.at },
      subject: { id: subject.id, source, content: subject.content },
      customData: customData(notification, run),
      customDataContentType: "application/json",
    },
  };
}

/**
 * Returns the ID of an event. It is the same for each delivery, so that receivers can drop
 * duplicates, and another one for each attempt of the run.
 */
function eventId({ kind, deployment, effect }: Notification, { id, attempt }: NotifiedRun): string {
  const { name, namespace } = deployment ?? {};
  // Without a namespace, only the name is known in each step that reports this failure.
  const { environment, context } = (namespace !== undefined && deployment) || {};
  // A failed deployment and the rollback after it are two events of one run.
  const parts = [id, attempt, kind, effect, namespace, name, environment, context];
  return parts.map((part) => encodePart(part ?? "-")).join("/");
}

/** Encodes a part of an address, also one that isn't valid Unicode. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

interface Subject {
  readonly id: string;
  readonly content: JsonObject;
}

function serviceSubject(
  { deployment, commit }: Notification,
  run: NotifiedRun,
  effect: ServiceEffect,
): Subject {
  const { name = run.repository, namespace = "", environment = name } = deployment ?? {};
  const content = { environment: { id: environment } };
  return {
    id: `${namespace}/${name}`,
    // A removed service has no artifact (schemas/serviceremoved.json).
    content: effect === "removed" ? content : { ...content, artifactId: packageUrl(commit, run) },
  };
}

/**
 * Returns the deployed commit as a package URL. The type `github` has lowercase names, and a server
 * of its own as a qualifier (github.com/package-url/purl-spec).
 */
function packageUrl(commit: string | undefined, { server, repository }: NotifiedRun): string {
  const names = repository.toLowerCase().split("/").map(encodePart).join("/");
  const version = commit === undefined ? "" : `@${encodePart(commit)}`;
  const where = server === "https://github.com" ? "" : `?repository_url=${encodePart(server)}`;
  return `pkg:github/${names}${version}${where}`;
}

function taskSubject(
  { kind, result, errors = [] }: Notification,
  { id: runId, url }: NotifiedRun,
  id: string,
): Subject {
  return {
    id,
    content: {
      taskName: `qvs ${kind}`,
      ...(url === undefined ? {} : { uri: url }),
      pipelineRun: { id: runId },
      outcome: result,
      ...(errors.length === 0 ? {} : { errors: errors.slice(0, maxCodes).join(", ") }),
    },
  };
}

function customData(notification: Notification, { url, attempt }: NotifiedRun): JsonObject {
  const { deployment, findings, errors, changes, ...facts } = notification;
  const { kind, outcome, commit, pullRequest, release, rollbackOf, drifted, digest } = facts;
  const { name, namespace, environment, context } = deployment ?? {};
  return withoutUnknown({
    version: dataVersion,
    ...{ kind, outcome, deployment: name, namespace, environment, context },
    ...{ commit, pullRequest, release, rollbackOf, drifted, digest },
    changes: changes && { ...changes },
    findings: findings?.slice(0, maxCodes).map(({ code, severity }) => ({ code, severity })),
    errors: errors?.slice(0, maxCodes),
    ...{ run: url, attempt: Number(attempt) },
  });
}

function withoutUnknown(fields: Readonly<Record<string, JsonObject[string] | undefined>>) {
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(known);
}
