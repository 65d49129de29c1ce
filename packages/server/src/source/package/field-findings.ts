// What is odd about a list, field by field, so that the examples of one do not hide those of another.
import { Findings, type LocatedFinding } from '../findings.ts'

/** A finding with the table and the field that it is about. */
export type PackageFinding = LocatedFinding & { readonly resource?: string; readonly field?: string }

export class FieldFindings {
  readonly #byField = new Map<string | undefined, Findings>()

  /** Those of a field, or of the list as a whole. */
  of(field?: string): Findings {
    const findings = this.#byField.get(field) ?? new Findings()
    this.#byField.set(field, findings)
    return findings
  }

  list(resource?: string): PackageFinding[] {
    return [...this.#byField].flatMap(([field, findings]) =>
      findings.located().map((finding) => ({
        ...(resource === undefined ? {} : { resource }),
        ...(field === undefined ? {} : { field }),
        ...finding,
      })),
    )
  }

  /** Adds all of them to others. */
  addTo(findings: Findings): void {
    for (const own of this.#byField.values()) findings.include(own)
  }
}

/** Findings about the file of a table. */
export const listed = (findings: Findings | undefined, resource: string): PackageFinding[] =>
  (findings?.located() ?? []).map((finding) => ({ resource, ...finding }))
