// The files for containers: what the image and the compose files declare, and the executable over a root as the image has it.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { ran } from '../support/command.ts'
import { executableFor } from '../support/executable.ts'
import { TestDirectory } from '../support/releases.ts'
import { childrenOf, eventually } from '../support/service.ts'

const DEPLOY = join(import.meta.dir, '..', '..', 'deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')
const lacks = (...tools: string[]) => tools.some((tool) => Bun.which(tool) === null)

const scratch = new TestDirectory()
afterAll(() => scratch[Symbol.dispose]())

const canChroot =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  !lacks('unshare', 'chroot', 'ldd') &&
  (await ran(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])).code === 0

describe('containers', () => {
  const dockerfile = read('Dockerfile')
  const buildStage = dockerfile.slice(0, dockerfile.indexOf('\nFROM', dockerfile.indexOf('FROM') + 1))
  const image = dockerfile.slice(buildStage.length)

  test('the image runs as a user without rights, checks itself without a shell, and is stopped as the service wants it', () => {
    expect(image).toMatch(/^USER [1-9][0-9]*:[1-9][0-9]*$/m)
    expect(image).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/bin\/nomenclator", "health"\]$/m)
    expect(image).toMatch(/^STOPSIGNAL SIGTERM$/m)
    expect(image).toMatch(/^VOLUME \/var\/lib\/nomenclator$/m)
    expect(image).not.toMatch(/^RUN/m)
  })

  test.skipIf(lacks('docker-compose')).each(['compose.yaml', 'fleet.compose.yaml'])(
    'docker-compose takes %s',
    async (file) => {
      const command = ['docker-compose', '-f', join(DEPLOY, file), 'config', '--quiet']
      expect(await ran(command)).toEqual({ code: 0, out: '', err: '' })
    },
  )

  test('the compose file limits and locks down what it starts', () => {
    const { services } = Bun.YAML.parse(read('compose.yaml')) as { services: Record<string, Record<string, unknown>> }
    expect(services.nomenclator).toMatchObject({ read_only: true, cap_drop: ['ALL'], mem_limit: '1g', pids_limit: 512 })
    expect(services.nomenclator?.ports).toBeUndefined()
    expect(services.nomenclator?.volumes).toEqual(['home:/var/lib/nomenclator'])
    expect(services.caddy).toMatchObject({
      read_only: true,
      depends_on: { nomenclator: { condition: 'service_healthy' } },
    })
  })

  /** The root of the image: the C library and the executable, read-only, for a user without rights. */
  test.skipIf(!canChroot)(
    'the executable serves over a read-only root that has nothing but the C library',
    async () => {
      const executable = await executableFor(scratch.path)
      const port = freePort()
      const setUp = `
      set -e
      mount -t tmpfs tmpfs /mnt
      mkdir -p /mnt/root/usr/bin /mnt/root/proc /mnt/root/dev /mnt/root/var/lib/nomenclator /mnt/home
      cp "$1" /mnt/root/usr/bin/nomenclator
      for library in $(ldd "$1" | grep -o '/[^ ]*'); do mkdir -p "/mnt/root$(dirname $library)"; cp -L $library /mnt/root$library; done
      touch /mnt/root/dev/null
      mount --bind /mnt/root /mnt/root
      mount -o remount,ro,bind /mnt/root
      mount --bind /mnt/home /mnt/root/var/lib/nomenclator
      mount -t proc -o subset=pid proc /mnt/root/proc
      mount --bind /dev/null /mnt/root/dev/null
      chown 65532:65532 /mnt/home
      exec env -i HOST=127.0.0.1 PORT="$2" WORKERS=2 NOMENCLATOR_HOME=/var/lib/nomenclator \\
        "$(command -v chroot)" --userspec=65532:65532 --groups= /mnt/root /usr/bin/nomenclator serve`
      const command = [
        'unshare',
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        setUp,
        'sh',
        executable,
        String(port),
      ]
      const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
      // To the service itself: it has changed its user, so it does not end with unshare.
      const signal = (name: NodeJS.Signals) => {
        for (const pid of childrenOf(child.pid)) process.kill(pid, name)
      }
      try {
        const url = `http://127.0.0.1:${port}`
        await eventually(
          `${url} responds or it has ended`,
          async () =>
            child.exitCode !== null ||
            (await fetch(url).then(
              () => true,
              () => false,
            )),
        )
        if (child.exitCode !== null) throw new Error(`it ended: ${await child.stderr.text()}`)
        expect((await fetch(`${url}/api/v1/paises`)).headers.get('X-Total')).toBe('249')
        expect((await fetch(`${url}/api/v2/search?q=guadaljara`)).status).toBe(200)
        // From when it says that it serves, it is stopped in order.
        for await (const text of child.stdout) if (text.length > 0) break
        signal('SIGTERM')
        expect(await child.exited).toBe(0)
      } finally {
        signal('SIGKILL')
        await child.exited
      }
    },
  )
})
