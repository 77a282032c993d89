import { toJsonSchema } from "@valibot/to-json-schema";
import { configDocument, deploymentsDocument } from "../../src/editors/config-schema.ts";
import { paramsDocument } from "../../src/editors/params-schema.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { codes, reviewParts, reviewSchema } from "../../src/report/review/review-schema.ts";

/** The published schemas: path → text. */
export const schemaFiles: ReadonlyMap<string, string> = new Map([
  ["schema/qvs.schema.json", text(configDocument())],
  ["schema/deployments.schema.json", text(deploymentsDocument())],
  ["schema/params.schema.json", text(paramsDocument())],
  ["schema/review.schema.json", text(reviewDocument())],
]);

/** Returns the schema of plan.json. */
function reviewDocument(): JsonObject {
  const schema = toJsonSchema(reviewSchema, {
    target: "draft-2020-12",
    // A transformation renames former codes; the schema describes the result.
    typeMode: "output",
    definitions: reviewParts,
    overrideSchema: ({ valibotSchema }) =>
      Object.values<unknown>(codes).includes(valibotSchema)
        ? { type: "string", pattern: "^[a-z0-9-]+$" }
        : undefined,
  }) as unknown as JsonObject;
  const { $schema = "", ...rest } = schema;
  const title = "plan.json";
  const description = "The content of a comment, a summary and a page of a preview.";
  return { $schema, title, description, ...rest };
}

function text(schema: JsonObject): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
