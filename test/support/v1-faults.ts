// Faults to put into the plain server of API v1: changes of headers, bodies and records, on the pages that are meant.
import type { Fault, PlainRequest } from './plain-v1.ts'

type Json = Record<string, unknown>

export const isPage = ({ method, collection }: PlainRequest) => /^(?:GET|HEAD)$/.test(method) && collection !== ''
export const on =
  (when: (request: PlainRequest) => boolean, edit: Fault): Fault =>
  (response, request) =>
    when(request) ? edit(response, request) : response
export const onPages = (edit: Fault): Fault =>
  on(isPage, (response, request) => (response.status === 200 ? edit(response, request) : response))

export type Field = readonly [name: string, value: string]
export const fields =
  (change: (fields: readonly Field[], request: PlainRequest) => readonly Field[]): Fault =>
  (response, request) => ({ ...response, fields: change(response.fields, request) })
export const header = (name: string, value: string | ((old: string, request: PlainRequest) => string)) =>
  fields((all, request) =>
    all.map(([given, old]) => [given, given !== name ? old : typeof value === 'string' ? value : value(old, request)]),
  )
export const extra = (...more: readonly Field[]) => fields((all) => [...all, ...more])

export const body =
  (text: string | ((old: string) => string)): Fault =>
  (response) => ({ ...response, body: typeof text === 'string' ? text : text(response.body) })
export const records = (change: (records: Json[]) => unknown) =>
  body((text) => JSON.stringify(change(JSON.parse(text))))
