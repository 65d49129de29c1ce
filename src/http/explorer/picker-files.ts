import type { HttpRequest, HttpResponse } from '../exchange.ts'
import type { V2Context } from '../v2/pipeline.ts'
export const isPickerFile = (_path: string) => false
export function respondPickerFile(_context: V2Context, _request: HttpRequest): HttpResponse {
  throw new Error()
}
