import { expect, it } from 'vitest';
import { sql } from './platform/db/sql.ts';
import { testApp } from './testing/app.ts';
import { onServer } from './testing/database.ts';
import { describeOnSmallDisk, mountSmallDisk } from './testing/small-disk.ts';

describeOnSmallDisk('a database whose disk is full', () => {
  it('503 disk_full for what needs room, 200 for reads, and 200 for all when there is room again', async () => {
    const t = await testApp();
    const { directory } = await t.app.control.one<{ directory: string }>(
      sql`select current_setting('data_directory') as directory`,
    );
    const disk = mountSmallDisk(1024 ** 2, directory);
    try {
      // A name of a folder of ours; CREATE TABLESPACE takes no parameters.
      await t.app.control.pool.query(`create tablespace full_disk location '${disk.folder}'`);
      await t.db.run(sql`alter table ${t.db.t.subscriber} set tablespace full_disk`);
      let count = 0;
      const create = () =>
        t.call('POST', '/subscribers', {
          body: Array.from({ length: 100 }, () => ({
            fields: [
              { idField: 1, value: `reader${count++}-${'x'.repeat(40)}@${'y'.repeat(60)}.example.com` },
            ],
          })),
        });
      disk.fill();
      let reply = await create();
      for (let calls = 1; reply.status === 200 && calls < 100; calls++) reply = await create();
      expect(reply).toMatchObject({ status: 503, headers: { 'x-error-code': 'disk_full' } });
      expect((await t.call('GET', '/fields')).status).toBe(200);
      disk.free();
      expect((await create()).status).toBe(200);
    } finally {
      await t.close();
      await onServer('drop tablespace if exists full_disk');
      disk.close();
    }
  });
});
