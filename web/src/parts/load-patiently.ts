import { loadPiece } from '../api/loads.ts';

const retryMs = 10_000;

/** Loads code that a screen does without. While the service is away it tries again, and the screen stays as it is. */
export async function loadPatiently<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await loadPiece(load);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
