import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { openApiDocument } from './openapi.ts';
import { siteOperation } from './operation.ts';
import { Closed, Id, Line, type Type } from './schema.ts';

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(openApiDocument(operations, '0.0.0'));
    expect(result).toMatchObject({ valid: true });
  });

  it('refuses two different schemas of one title', () => {
    const declared = (id: string, reply: ReturnType<typeof Type.Object>) =>
      siteOperation({
        ...({ id, method: 'GET', path: `/${id}`, right: 'read', tag: 'T', summary: 'S', reply } as const),
        handle: async () => ({}) as never,
      });
    const two = [
      declared('a', Closed('Thing', { id: Id() })),
      declared('b', Closed('Thing', { id: Line(3) })),
    ];
    expect(() => openApiDocument(two, '0')).toThrow('Two different schemas carry the title Thing');
  });
});
