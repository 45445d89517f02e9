import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { uploadFile } from '../imports/upload.ts';
import { ChooseFile } from '../parts/choose-file.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { useSite } from '../session/session.tsx';
import { useLibraryWords } from './words.ts';

/** Stores a file of two columns under a key: a value, and what readers with that value see. */
export function ContentData() {
  const texts = useLibraryWords().data;
  const site = useSite();
  const refusal = useRefusal();
  const [key, setKey] = useState('');
  const [field, setField] = useState('1');
  const [separator, setSeparator] = useState(';');
  const [file, setFile] = useState<File>();
  const [tag, setTag] = useState('');
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const store = async (event: FormEvent) => {
    event.preventDefault();
    setTag('');
    if (key.trim() === '') return setError(texts.noKey);
    if (!file) return setError(texts.noFile);
    setError('');
    setBusy(true);
    try {
      const dataFilePath = await uploadFile(site.name, file);
      setTag(
        await dataOf(
          api.POST('/v1/{idsite}/content-data', {
            params: { path: { idsite: site.name } },
            body: {
              key: `[[DATA.${key.trim()}.fld${Number(field)}]]`,
              dataFilePath,
              dataFieldTerminator: separator,
            },
          }),
        ),
      );
    } catch (failure) {
      setError(refusal(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="card" aria-labelledby="content-data">
      <h2 className="card-head" id="content-data">
        {texts.title}
      </h2>
      <form className="card-body form" onSubmit={(event) => void store(event)} noValidate>
        <p className="small text-2">{texts.about}</p>
        <TextInput
          label={texts.key}
          placeholder="prices"
          spellCheck={false}
          maxLength={100}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <div className="pair">
          <TextInput
            label={texts.field}
            description={texts.fieldText}
            inputMode="numeric"
            value={field}
            onChange={(event) => setField(event.currentTarget.value)}
          />
          <TextInput
            label={texts.separator}
            maxLength={20}
            value={separator}
            onChange={(event) => setSeparator(event.currentTarget.value)}
          />
        </div>
        <div className="row">
          <ChooseFile accept=".csv,.txt,.tsv,.gz,.zip" take={([chosen]) => setFile(chosen)}>
            {texts.choose}
          </ChooseFile>
          <span className="small text-2 anywhere">
            <bdi>{file?.name ?? texts.fileText}</bdi>
          </span>
        </div>
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div>
          <Button type="submit" loading={isBusy}>
            {texts.store}
          </Button>
        </div>
        <div role="status" className="stack tight">
          {tag !== '' && (
            <>
              <p className="small text-2">{texts.stored}</p>
              <Secret secret={tag} what={texts.tag} />
            </>
          )}
        </div>
      </form>
    </section>
  );
}
