import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import type { Picture } from './pictures.ts';
import { mostBytes, uploadPicture } from './upload.ts';
import { useLibraryWords } from './words.ts';

/** The progress of uploads, and the files that the service refused. */
export interface Uploads {
  readonly total: number;
  readonly done: number;
  readonly refused: readonly { readonly name: string; readonly why: string }[];
  readonly take: (files: readonly File[]) => void;
  readonly forget: () => void;
}

/** Uploads at one time. */
const atOnce = 2;

/**
 * Uploads pictures into a folder, two at a time; one that is refused does not stop the others.
 * @param uploaded called when files that were taken together are done, with the pictures that they became
 */
export function useUploads(
  idDirectory: number,
  uploaded?: (pictures: readonly Picture[], files: readonly File[]) => void,
): Uploads {
  const texts = useLibraryWords().pictures;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [state, setState] = useState<Pick<Uploads, 'total' | 'done' | 'refused'>>({
    total: 0,
    done: 0,
    refused: [],
  });
  const upload = async (file: File, pictures: Picture[]) => {
    let why: string | undefined;
    if (file.size > mostBytes) why = texts.tooLarge;
    else
      try {
        pictures.push(await uploadPicture(site.name, file, idDirectory));
      } catch (failure) {
        why = refusal(failure);
      }
    setState((now) => ({
      ...now,
      done: now.done + 1,
      refused: why === undefined ? now.refused : [...now.refused, { name: file.name, why }],
    }));
  };
  const take = async (files: readonly File[]) => {
    if (files.length === 0) return;
    // What has finished before is forgotten; what still runs is counted on.
    setState((now) =>
      now.done === now.total
        ? { total: files.length, done: 0, refused: [] }
        : { ...now, total: now.total + files.length },
    );
    const waiting = [...files];
    const pictures: Picture[] = [];
    const lane = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) await upload(file, pictures);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    await queries.invalidateQueries({ queryKey: ['pictures', site.name] });
    uploaded?.(pictures, files);
  };
  return {
    ...state,
    take: (files) => void take(files),
    forget: () => setState({ total: 0, done: 0, refused: [] }),
  };
}
