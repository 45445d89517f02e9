import { makeFirstThings } from '../first-start.ts';
import { adoptInstallation, holdInstallation } from '../installation/check-installation.ts';
import type { TestApp } from './app.ts';

/** Does `work` while an operator holds all sending, in an installation that has been started. */
export async function whileHeld<T>({ app }: TestApp, why: string, work: () => Promise<T>): Promise<T> {
  await makeFirstThings(app);
  await holdInstallation(app, why);
  try {
    return await work();
  } finally {
    await adoptInstallation(app);
  }
}
