import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";

/** Checks what is sent to the fake, and what it answers, against GitHub's own description of its API. */
export interface Contract {
  /** What is wrong with a request; undefined when nothing is. */
  checkRequest(request: ApiRequest): string | undefined;
  checkAnswer(request: ApiRequest, answer: unknown): string | undefined;
}

export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly query: ReadonlyMap<string, ValidateFunction>;
  readonly body: ValidateFunction | undefined;
  readonly answer: ValidateFunction | undefined;
}

interface Description {
  readonly operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly parameters: readonly {
      readonly name: string;
      readonly in: string;
      readonly schema: object;
    }[];
    readonly body: object | null;
    readonly answer: object | null;
  }[];
}

export function loadContract(): Contract {
  const text = readFileSync(join(import.meta.dirname, "openapi.json"), "utf8");
  const ajv = new Ajv({ strict: false, coerceTypes: true, validateFormats: false });
  const operations = (JSON.parse(text) as Description).operations.map((it) => compile(it, ajv));
  const find = ({ method, url }: ApiRequest) =>
    operations.find((it) => it.method === method && it.path.test(url.pathname));
  return {
    checkRequest(request) {
      const operation = find(request);
      if (operation === undefined) return `no operation ${request.method} ${request.url.pathname}`;
      return queryProblem(operation, request.url) ?? problem(operation.body, request.body, "body");
    },
    checkAnswer: (request, answer) => problem(find(request)?.answer, answer, "answer"),
  };
}

function compile(operation: Description["operations"][number], ajv: Ajv): Operation {
  const schema = (value: object | null) => (value === null ? undefined : ajv.compile(value));
  const query = operation.parameters.filter((parameter) => parameter.in === "query");
  return {
    method: operation.method,
    path: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    query: new Map(
      query.map(({ name, schema: it }) => [name, ajv.compile({ properties: { value: it } })]),
    ),
    body: schema(operation.body),
    answer: schema(operation.answer),
  };
}

function queryProblem({ query }: Operation, url: URL): string | undefined {
  for (const [name, value] of url.searchParams) {
    const validate = query.get(name);
    if (validate === undefined) return `unknown query parameter ${name}`;
    const found = problem(validate, { value }, `query parameter ${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function problem(
  validate: ValidateFunction | undefined,
  value: unknown,
  what: string,
): string | undefined {
  if (validate === undefined || validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${what}${error?.instancePath ?? ""} ${error?.message ?? "is wrong"}`;
}
