// nginx as a test wants it, with all that it writes in a directory of the test.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './service.ts'

/** Writes a configuration with these servers, and gives the command that runs nginx with it. */
export function nginxWith(directory: string, servers: string): string[] {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const path = join(directory, 'nginx.conf')
  writeFileSync(
    path,
    // Its workers would be of a user who cannot read what a test has.
    `user root; daemon off; pid ${directory}/nginx.pid; error_log stderr; worker_processes 1;
events {}
http { access_log off; ${paths.join(' ')}
${servers}}`,
  )
  return ['nginx', '-e', 'stderr', '-c', path]
}

/** A host of static files, as plain as it gets. */
export const staticHost = (port: number, directory: string): string =>
  `server { listen 127.0.0.1:${port}; root ${directory}; }\n`

export class Nginx implements AsyncDisposable {
  readonly #child: Bun.Subprocess

  private constructor(child: Bun.Subprocess) {
    this.#child = child
  }

  /** Resolves when the address responds, with whatever. */
  static async running(directory: string, servers: string, url: string): Promise<Nginx> {
    const nginx = new Nginx(Bun.spawn(nginxWith(directory, servers), { stdio: ['ignore', 'ignore', 'ignore'] }))
    await eventually('nginx responds', () => fetch(url).then(Boolean, () => false))
    return nginx
  }

  get pid(): number {
    return this.#child.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await this.#child.exited
  }
}
