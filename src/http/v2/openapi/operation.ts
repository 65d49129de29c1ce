// What an operation of the document is, and how it is written down.
import type { Headers } from '../../../page/page-headers.ts'
import type { ProblemKind } from '../../problem.ts'
import type { Parameter } from '../parameter-definitions.ts'
import { headersOf } from './headers.ts'
import type { Json, Parts } from './parts.ts'
import { ANYWHERE, problemResponses } from './problems.ts'

export type Good = {
  readonly description: string
  /** As many sets of headers as are needed to see which of them vary. */
  readonly samples: readonly Headers[]
  /** By media type. */
  readonly content?: Json
}

export type Operation = {
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly inPath?: readonly Json[]
  /** The very table that the server reads. */
  readonly inQuery: ReadonlyMap<string, Parameter>
  readonly inHeader?: readonly Json[]
  /** Shown with a parameter, by its name. */
  readonly shown?: Readonly<Record<string, unknown>>
  readonly good: Readonly<Record<number, Good>>
  /** Besides those that any request can end with. */
  readonly problems: readonly ProblemKind[]
}

/** A parameter that may be given several times is a list of values, each under its name. */
export const queryParameter = (parameter: Parameter): Json => {
  const { name, description, repeatable, commaSeparated = false, max, required = false, schema } = parameter
  return {
    name,
    in: 'query',
    description,
    required,
    ...(commaSeparated ? { style: 'form', explode: false } : {}),
    schema:
      repeatable || commaSeparated
        ? { type: 'array', items: schema, minItems: 1, ...(max === undefined ? {} : { maxItems: max }) }
        : schema,
  }
}

export function written(parts: Parts, operation: Operation): Json {
  const { path, id, tag, summary, inPath = [], inQuery, inHeader = [], shown = {}, good, problems } = operation
  const answers = Object.entries(good).map(([status, { description, samples, content }]) => [
    status,
    { description, headers: headersOf(parts, samples), ...(content === undefined ? {} : { content }) },
  ])
  return {
    operationId: id,
    tags: [tag],
    summary,
    parameters: [
      ...inPath.map((one) => shared(parts, one)),
      ...[...inQuery.values()].map((one) => inQueryOf(parts, one, shown[one.name])),
      ...inHeader.map((one) => parts.once(one, () => shared(parts, one))),
    ],
    responses: { ...Object.fromEntries(answers), ...problemResponses(parts, path, [...problems, ...ANYWHERE]) },
  }
}

const shared = (parts: Parts, parameter: Json): Json => parts.share('parameters', parameter.name as string, parameter)

function inQueryOf(parts: Parts, parameter: Parameter, example: unknown): Json {
  if (example !== undefined) return shared(parts, { ...queryParameter(parameter), example })
  return parts.once(parameter, () => shared(parts, queryParameter(parameter)))
}
