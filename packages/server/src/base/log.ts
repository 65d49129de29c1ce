// The log of a running service: one event at a time, as a line for people or as JSON for programs.
import { fstatSync } from 'node:fs'
import { isObject, parseJson } from './json.ts'
import { visibleText } from './visible-text.ts'

type LogLevel = 'info' | 'warn' | 'error'

/** A value that a program may filter by. */
type LogValue = string | number | boolean | undefined

export type LogEvent = {
  readonly level: LogLevel
  /** The kind of the event in kebab case, such as `worker-died`. It never changes, so that an alert can rely on it. */
  readonly event: string
  /** An event and what to do about it, in one line for people. */
  readonly message: string
  readonly [detail: string]: LogValue
}

export type Log = (event: LogEvent) => void

export const LOG_FORMATS = ['auto', 'text', 'json'] as const
type LogFormat = (typeof LOG_FORMATS)[number]

/** An event as it is written: with the time, and the process that it happened in. */
type LogRecord = LogEvent & { readonly time: string; readonly pid: number }

type LogStyle = 'text' | 'json' | 'journal'

const STANDARD_ERROR = 2

/** The journal of systemd shows text, and takes the level from a number before it. */
export function logStyle(
  format: LogFormat,
  interactive: boolean,
  journalStream: string | undefined = process.env.JOURNAL_STREAM,
): LogStyle {
  if (format !== 'auto') return format
  if (interactive) return 'text'
  return journalStream !== undefined && journalStream === deviceOf(STANDARD_ERROR) ? 'journal' : 'json'
}

/** A stream in the form by which systemd names the one that is connected to the journal. */
function deviceOf(descriptor: number): string {
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  return `${dev}:${ino}`
}

/** The levels of syslog. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6 }

export function createLog(style: LogStyle, write: (text: string) => void): Log {
  return (event) => write(rendered(style, recordOf(event)))
}

/** Events of a worker bring their own time and process along. */
function recordOf({ level, event, message, ...details }: LogEvent): LogRecord {
  return { time: new Date().toISOString(), level, event, message, pid: process.pid, ...details }
}

function rendered(style: LogStyle, record: LogRecord): string {
  if (style === 'json') return `${JSON.stringify(record)}\n`
  const { level, message, pid, stack } = record
  const lines = [
    oneLine(message),
    ...(typeof stack === 'string' ? stack.split('\n').map((line) => `  ${oneLine(line)}`) : []),
  ]
  const start = `${style === 'journal' ? `<${PRIORITIES[level]}>` : ''}${pid === process.pid ? '' : `[${pid}] `}`
  return lines.map((line) => `${start}${line}\n`).join('')
}

/** Nothing in an event can begin another line, or speak to the terminal. */
const oneLine = (text: string): string => visibleText(text).replaceAll('\n', '\\u000a')

/** A line that a worker wrote on its standard error: an event of its log, or else raw output, such as that of a crash. */
export function eventOf(line: string, pid: number): LogEvent {
  const event = line.startsWith('{"time":') ? parsed(line) : undefined
  return event ?? { level: 'warn', event: 'worker-output', message: line, pid }
}

function parsed(line: string): LogEvent | undefined {
  try {
    const value = parseJson(line)
    return isEvent(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isEvent = (value: unknown): value is LogEvent =>
  isObject(value) &&
  typeof value.level === 'string' &&
  value.level in PRIORITIES &&
  typeof value.event === 'string' &&
  typeof value.message === 'string'
