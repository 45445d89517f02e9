import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerRepository } from '../../files/repository-administration.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { describeWith } from '../../testing/daemon.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { OpenSshServer } from '../../testing/openssh-server.ts';
import { exportsOperations } from '../operations.ts';

describeWith('sshd', "exports to Debian's OpenSSH server", () => {
  let t: TestApp;
  let tester: ExportTester;
  let server: OpenSshServer;
  let idRepository: number;
  beforeAll(async () => {
    [t, server] = await Promise.all([testApp({ operations: exportsOperations }), OpenSshServer.start()]);
    tester = new ExportTester(t);
    idRepository = (await registerRepository(t.app, t.db, server.access)).id;
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld5, fld6, fld21, fld22)
      select i || '@example.com', repeat('a', 255), repeat('b', 255), repeat('c', 255), repeat('d', 255)
      from generate_series(1, 20000) i`);
  });
  afterAll(() => Promise.all([t?.close(), server?.close()]));

  it.each([null, 'GZip'] as const)('20 MB, packed by %s, and again over the same name', async (compress) => {
    const name = compress ? 'people.csv.gz' : 'people.csv';
    for (let time = 0; time < 2; time++) {
      const options = { idRepository, idsFields: ['1', '5', '6', '21', '22'], exportSubFolder: 'out/daily' };
      const done = await tester.run(await tester.create({ ...options, compress }));
      expect([done.state, done.message, done.nbLines]).toEqual(['COMPLETED', '', 20_000]);
      const bytes = readFileSync(join(server.folder, 'out/daily', name));
      const lines = (compress ? gunzipSync(bytes) : bytes).toString().split('\r\n');
      expect(lines).toHaveLength(20_002);
      expect(
        lines.every((line, i) => i === 0 || i === 20_001 || line.startsWith(`${i}@example.com;aaa`)),
      ).toBe(true);
    }
    expect(readdirSync(join(server.folder, 'out/daily'))).toContain(name);
    expect(readdirSync(join(server.folder, 'out/daily')).filter((one) => one.startsWith('.'))).toEqual([]);
  });
});
