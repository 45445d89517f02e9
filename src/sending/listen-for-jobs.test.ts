import { expect, it } from 'vitest';
import { testApp } from '../testing/app.ts';
import { listenForJobs } from './job-store.ts';

it('listening ends when its signal comes before there is a connection', async () => {
  const { app, close } = await testApp({ operations: [] });
  try {
    const end = new AbortController();
    const listening = listenForJobs(app.control, () => undefined, end.signal);
    end.abort();
    await listening;
    expect(app.control.pool.totalCount - app.control.pool.idleCount).toBe(0);
  } finally {
    await close();
  }
});
