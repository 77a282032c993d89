import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";

/**
 * Describes the events of qvs by the specifications, for the types that qvs sends:
 * - CloudEvents 1.0.2 with its JSON format (github.com/cloudevents/spec)
 * - CDEvents 0.5.1: schemas/service*.json, schemas/taskrunfinished.json and the structured mode of
 *   cloudevents-binding.md (cdevents/spec, tag v0.5.1)
 */
const text = { type: "string", minLength: 1 };
const time = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$" };
const uri = { type: "string", pattern: "^https?://[^\\s]+$" };
const reference = { type: "object", properties: { id: text, source: uri }, required: ["id"] };
const artifactId = { type: "string", pattern: "^pkg:[a-z]+/[^\\s]+$" };

/** Returns a closed object, as the schemas of CDEvents are. */
function closed(properties: Record<string, object>, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}

const deployedContent = closed({ environment: reference, artifactId }, [
  "environment",
  "artifactId",
]);
const removedContent = closed({ environment: reference }, []);
const taskContent = closed(
  {
    ...{ taskName: text, uri, pipelineRun: reference, errors: text },
    outcome: { enum: ["success", "failure", "cancel", "error"] },
  },
  [],
);

const contents: Readonly<Record<string, object>> = {
  "dev.cdevents.service.deployed.0.3.0": deployedContent,
  "dev.cdevents.service.upgraded.0.3.0": deployedContent,
  "dev.cdevents.service.rolledback.0.3.0": deployedContent,
  "dev.cdevents.service.removed.0.3.0": removedContent,
  "dev.cdevents.taskrun.finished.0.3.0": taskContent,
};

function eventOfType([type, content]: readonly [string, object]): object {
  const context = { id: text, source: uri, type: { const: type }, timestamp: time };
  const data = closed(
    {
      context: closed({ ...context, specversion: { const: "0.5.1" } }, [
        ...Object.keys(context),
        "specversion",
      ]),
      subject: closed({ id: text, source: uri, content }, ["id", "content"]),
      customData: { type: "object" },
      customDataContentType: { const: "application/json" },
    },
    ["context", "subject"],
  );
  return closed(
    {
      ...{ specversion: { const: "1.0" }, id: text, source: uri, type: { const: type } },
      ...{ subject: text, time, datacontenttype: { const: "application/cdevents+json" }, data },
    },
    ["specversion", "id", "source", "type", "subject", "time", "datacontenttype", "data"],
  );
}

const validate = new Ajv2020({ strict: false }).compile({
  oneOf: Object.entries(contents).map(eventOfType),
});

/** Fails unless the body is a CDEvent in a CloudEvent. */
export function expectValidEvent(event: unknown): void {
  validate(event);
  expect(validate.errors ?? []).toEqual([]);
}
