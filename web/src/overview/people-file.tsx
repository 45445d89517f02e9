import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accepted, useDrop, useTakeFile } from '../imports/take-file.tsx';
import { Uploading } from '../imports/uploading.tsx';
import { ChooseFile } from '../parts/choose-file.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { ensureEveryone } from './everyone.ts';

/** Takes a file of people by drop or choice, and leads to the other imports. The target of all people is made with it. */
export function PeopleFile() {
  const { words } = useWords();
  const { imports } = words;
  const { people } = words.overview;
  const site = useSite();
  const act = useAct();
  const queries = useQueryClient();
  const { take, uploading, error } = useTakeFile();
  const takePeople = async (file: File | undefined) =>
    act(async () => {
      await ensureEveryone(site.name, people.target);
      void queries.invalidateQueries({ queryKey: ['everyone', site.name] });
      await take(file);
    });
  const isOver = useDrop(takePeople);
  return (
    <div className="people-file" data-over={isOver || undefined}>
      <p className="small text-2">{imports.drop}</p>
      <ChooseFile
        accept={accepted}
        take={([file]) => void takePeople(file)}
        size="xs"
        loading={uploading !== undefined}
      >
        {imports.choose}
      </ChooseFile>
      <Link className="link small" to="/$site/imports" params={{ site: site.name }}>
        {people.imports}
      </Link>
      {uploading && <Uploading upload={uploading} />}
      <p className="small" role="status">
        {error !== '' && <span className="red">{error}</span>}
      </p>
    </div>
  );
}
