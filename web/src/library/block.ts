import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { ifMatch, isChanged, versionedOf } from '../api/versions.ts';

/** A block as it was found; its text is undefined if there is none of that key yet. */
export interface FoundBlock {
  readonly key: string;
  readonly value: string | undefined;
  /** The version of the block; empty if there is none. */
  readonly etag: string;
}

/** Reads a block; one without a text if there is none of that key. */
export async function readBlock(idsite: string, contentKey: string): Promise<FoundBlock> {
  try {
    const { value, etag } = await versionedOf(
      api.GET('/v1/{idsite}/content-blocks', { params: { path: { idsite }, query: { contentKey } } }),
    );
    return { key: value.contentKey, value: value.contentValue, etag };
  } catch (failure) {
    if (isNotFound(failure)) return { key: contentKey, value: undefined, etag: '' };
    throw failure;
  }
}

/** Creates a block; undefined if there is one of its key by now, which stays as it is. */
export async function createBlock(idsite: string, contentKey: string, contentValue: string) {
  try {
    return await dataOf(
      api.PUT('/v1/{idsite}/content-blocks', {
        params: { path: { idsite }, header: { 'If-None-Match': '*' } },
        body: { contentKey, contentValue },
      }),
    );
  } catch (failure) {
    if (isChanged(failure)) return undefined;
    throw failure;
  }
}

/** Stores the text of a block. @param etag the version that it replaces; empty for any */
export const storeBlock = (idsite: string, contentKey: string, contentValue: string, etag = '') =>
  versionedOf(
    api.PUT('/v1/{idsite}/content-blocks', {
      params: { path: { idsite }, ...(etag !== '' && { header: ifMatch(etag) }) },
      body: { contentKey, contentValue },
    }),
  );

/** The key in what was typed: a whole tag is as good as its key. */
export const keyOfBlock = (typed: string): string => typed.trim().replace(/^\[\[BLOC\.(.*)\]\]$/i, '$1');

/** The tag that shows a block. */
export const tagOfBlock = (key: string): string => `[[BLOC.${key}]]`;
