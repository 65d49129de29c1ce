// Commands in processes of their own, run to their end.

export type Ran = { readonly code: number; readonly out: string; readonly err: string }

type Options = {
  readonly cwd?: string
  /** Beside the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What it reads. */
  readonly input?: string
}

/**
 * Never by `Bun.spawnSync`: garbage that is collected while that waits leaves its descriptors watched, and later ones of
 * the same number, in whichever test, then fail (oven-sh/bun#40078).
 */
export async function ran(command: readonly string[], { cwd, env, input }: Options = {}): Promise<Ran> {
  const child = Bun.spawn([...command], {
    stdio: [input === undefined ? 'ignore' : Buffer.from(input), 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}
