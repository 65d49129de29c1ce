// The flag of commands that print a report in words or as JSON, and the document that they print then.
import { yes } from './flags.ts'

export const jsonFlag = (report = 'it') =>
  ({ json: { description: `print ${report} as one JSON document`, parse: yes } }) as const

export const jsonText = (report: unknown): string => `${JSON.stringify(report, null, 2)}\n`
