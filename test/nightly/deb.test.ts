// The Debian package: installed, started as its user, upgraded, removed and purged, in a copy of the root file system.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from '../../tools/build.ts'
import { packDeb } from '../../tools/deb.ts'
import { ran } from '../support/command.ts'
import { executableFor } from '../support/executable.ts'
import { TestDirectory } from '../support/releases.ts'

const architecture = process.arch as Architecture

/** Runs a shell script as root over a file system in memory: what it changes is gone when it ends. */
function inCopyOfRoot(script: string, ...given: readonly string[]) {
  const setUp = `
    set -e
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/changes /mnt/work /mnt/root
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/changes,workdir=/mnt/work /mnt/root
    mount -t proc proc /mnt/root/proc
    mount --rbind /dev /mnt/root/dev
    for file in "$@"; do cp "$file" /mnt/root/; done
    exec chroot /mnt/root sh -c "$SCRIPT"`
  return ran(['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', setUp, 'sh', ...given], {
    env: { SCRIPT: `cd /; set -e\n${script}`, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  })
}

const canInstall =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ['dpkg', 'adduser', 'unshare', 'setpriv'].every((tool) => Bun.which(tool) !== null) &&
  (await inCopyOfRoot('! dpkg-query --show nomenclator && ! id nomenclator')).code === 0

describe.skipIf(Bun.which('dpkg-deb') === null)('the Debian package', () => {
  const scratch = new TestDirectory()
  afterAll(() => scratch[Symbol.dispose]())
  let executable = ''
  beforeAll(async () => {
    executable = await executableFor(scratch.path)
  })
  const pack = (version: string) =>
    packDeb(architecture, { executable, directory: scratch.path, version, compression: 'none' })
  const packages = new Map<string, Promise<string>>()
  /** Packed once, however many tests need it. */
  const packed = (version: string) => {
    const path = packages.get(version) ?? pack(version)
    packages.set(version, path)
    return path
  }
  const tool = async (...argv: string[]) => {
    const { code, out } = await ran(['dpkg-deb', ...argv])
    expect(code).toBe(0)
    return out
  }

  test('is the same bytes when it is packed again, and holds what it should, owned by root', async () => {
    const digest = (path: string) =>
      Bun.file(path)
        .arrayBuffer()
        .then((bytes) => Bun.SHA256.hash(bytes, 'hex'))
    const first = await packed('1.0.0')
    const before = await digest(first)
    const contents = await tool('--contents', first)
    for (const path of [
      '-rwxr-xr-x root/root .* ./usr/bin/nomenclator',
      '-rw-r--r-- root/root .* ./usr/lib/systemd/system/nomenclator.service',
      '-rw-r--r-- root/root .* ./usr/share/bash-completion/completions/nomenclator',
      '-rw-r--r-- root/root .* ./usr/share/zsh/vendor-completions/_nomenclator',
      '-rw-r--r-- root/root .* ./usr/share/fish/vendor_completions.d/nomenclator.fish',
      '-rw-r--r-- root/root .* ./etc/default/nomenclator',
    ])
      expect(contents).toMatch(new RegExp(`^${path}$`, 'm'))
    expect(contents).not.toMatch(/ \.\/var\//)
    const unit = readFileSync(join(import.meta.dir, '..', '..', 'deploy', 'nomenclator.service'), 'utf8')
    const [, page] = /^Documentation=file:\/\/(\S+)$/m.exec(unit) ?? []
    expect(contents.split('\n').filter((line) => line.endsWith(` .${page}`))).toHaveLength(1)
    expect(await tool('--field', first, 'Version', 'Architecture')).toBe(
      `Version: 1.0.0\nArchitecture: ${{ x64: 'amd64', arm64: 'arm64' }[architecture]}\n`,
    )
    expect(await digest(await pack('1.0.0'))).toBe(before)
  })

  test.skipIf(!canInstall)(
    'is installed, started, upgraded, removed and purged',
    async () => {
      const [older, newer] = [await packed('1.0.0'), await packed('1.0.1')]
      // Without a running systemd, the service is started as its unit starts it.
      const script = `
      exec 2>&1
      serves() {
        log=/tmp/served; : >$log; chmod 666 $log
        set -a; . /etc/default/nomenclator; set +a
        setpriv --reuid=nomenclator --regid=nomenclator --clear-groups --no-new-privs --bounding-set=-all \\
          /usr/bin/nomenclator serve --port 0 --workers 2 >$log 2>&1 &
        pid=$!
        for turn in $(seq 600); do grep -q '^Serving' $log && break; sleep 0.1; done
        sed -n 's/^Serving release \\([0-9a-f]*\\) .*/SERVED \\1/p' $log
        kill $pid; wait $pid; echo "EXIT $?"
      }
      state() { echo "$1:" $(for path in /usr/bin/nomenclator /etc/default/nomenclator /var/lib/nomenclator/current; do
        if [ -e $path ]; then echo there; else echo gone; fi; done) $(if id -u nomenclator >/dev/null 2>&1; then echo user; else echo nobody; fi); }
      state before
      # Without the triggers of other packages: the index of all manual pages of the machine takes seconds, and is not ours.
      dpkg --no-triggers --force-unsafe-io --install /${older.slice(scratch.path.length + 1)}
      stat --format 'HOME %U %G %a' /var/lib/nomenclator
      getent passwd nomenclator | cut -d: -f6,7
      serves
      state installed
      setpriv --reuid=nomenclator --regid=nomenclator --clear-groups nomenclator doctor --home /var/lib/nomenclator --port 0 >/dev/null
      echo 'WORKERS=3' >>/etc/default/nomenclator
      dpkg --no-triggers --force-unsafe-io --install /${newer.slice(scratch.path.length + 1)}
      dpkg-query --show --showformat 'VERSION \${Version} \${Status}\\n' nomenclator
      tail -1 /etc/default/nomenclator
      serves
      state upgraded
      dpkg --no-triggers --remove nomenclator
      state removed
      dpkg --no-triggers --purge nomenclator
      state purged
      ls -d /var/log/nomenclator /etc/logrotate.d/nomenclator 2>/dev/null || echo NOTHING LEFT`
      const { code, out } = await inCopyOfRoot(script, older, newer)
      const lines = out.split('\n')
      const found = (pattern: RegExp) => lines.filter((line) => pattern.test(line))
      expect(out).not.toMatch(/error|warning/i)
      expect(code).toBe(0)
      expect(found(/^(?:before|installed|upgraded|removed|purged):/)).toEqual([
        'before: gone gone gone nobody',
        'installed: there there there user',
        'upgraded: there there there user',
        'removed: gone there there user',
        'purged: gone gone gone nobody',
      ])
      expect(found(/^HOME /)).toEqual(['HOME nomenclator nomenclator 750'])
      expect(found(/nologin$/)).toEqual(['/var/lib/nomenclator:/usr/sbin/nologin'])
      const served = found(/^SERVED [0-9a-f]{12}$/)
      expect(served).toHaveLength(2)
      expect(new Set(served).size).toBe(1)
      expect(found(/^EXIT /)).toEqual(['EXIT 0', 'EXIT 0'])
      expect(found(/^VERSION /)).toEqual(['VERSION 1.0.1 install ok installed'])
      expect(found(/^WORKERS=3$/)).toHaveLength(1)
      expect(found(/^NOTHING LEFT$/)).toHaveLength(1)
    },
    300_000,
  )
})
