/** Reads the data files of the pinned packages, and refuses one whose shape is not the expected one. */
import { join } from 'node:path'

// By path and not by import, so that the rest of the project type-checks without these large packages installed.
export const packagePath = (path: string): string => join(import.meta.dir, 'node_modules', path)

export const readText = (path: string): Promise<string> => Bun.file(packagePath(path)).text()

export const readJson = (path: string): Promise<unknown> => Bun.file(packagePath(path)).json()

export function refuse(what: string): never {
  throw new Error(`prepare-data: ${what}`)
}

export function list(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(`${what} is not a list`)
}

export function member(value: unknown, name: string, what: string): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) return refuse(`${what} has no ${name}`)
  return Reflect.get(value, name)
}

export function text(value: unknown, what: string): string {
  return typeof value === 'string' ? value : refuse(`${what} is not text`)
}
