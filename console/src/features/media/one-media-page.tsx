// One file: what it is, what was found in it, and how it looks or sounds.
import type { Media } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Asked } from '../../shell/asked.tsx';
import { DeleteButton } from '../../shell/delete-button.tsx';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { Size } from './media-page.tsx';
import { MediaStatus } from './status.tsx';

const isMoving = ({ status }: Media) => status === 'PENDING' || status === 'SCANNING';

export function OneMediaPage() {
  const { media: sid } = useParams({ from: '/$environment/$account/media/$media' });
  const { api, can } = useWorkspace();
  const askEveryMs = useAskEveryMs();
  return (
    <Asked
      name={['media', sid]}
      load={() => api.media.get(sid)}
      againMs={(media) => isMoving(media) && askEveryMs}
    >
      {(media) => (
        <div className="grid gap-4">
          <PageHead title={media.filename ?? sid}>{can('deleteMedia') && <Delete sid={sid} />}</PageHead>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <What media={media} />
            {media.status === 'READY' && can('getMediaContent') && <Look media={media} />}
          </div>
        </div>
      )}
    </Asked>
  );
}

function What({ media }: { media: Media }) {
  const words = useResourceWords().media;
  const { time } = useFormats();
  const { mimeType, declaredMime, sizeBytes, sha256, sourceUrl, scan } = media;
  const told = (name: string, value: string | null): Fact[] => (value ? [[name, value]] : []);
  return (
    <Panel title={words.facts}>
      <Facts
        facts={[
          [words.sid, <code key="sid">{media.sid}</code>],
          [words.status, <MediaStatus key="status" status={media.status} />],
          [words.sendable, media.sendable ? words.yes : words.no],
          ...told(words.type, mimeType ?? declaredMime),
          ...(sizeBytes === null ? [] : [[words.size, <Size key="size" bytes={sizeBytes} />] as const]),
          ...told(words.scanner, scan.scanner),
          ...told(words.source, sourceUrl),
          ...(sha256 ? [[words.hash, <code key="hash">{sha256}</code>] as const] : []),
          [words.since, time(media.createdAt)],
          [words.expires, time(media.expiresAt)],
        ]}
      />
      <ul className="mt-3 grid gap-1 text-bad">
        {scan.reasons.map(({ code, message }) => (
          <li key={code} className="wrap-anywhere">
            <code>{code}</code> {message}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

// As large as a picture may be. What is larger is loaded when somebody asks for it.
const loadedAtOnceBytes = 5 * 1024 * 1024;

/** The content itself, which is shown or played where it can be, and can be kept otherwise. */
function Look({ media }: { media: Media }) {
  const words = useResourceWords().media;
  const { api } = useWorkspace();
  const { sid, filename, sizeBytes } = media;
  const [isWanted, setWanted] = useState(sizeBytes !== null && sizeBytes <= loadedAtOnceBytes);
  const kind = kindOf(media);
  return (
    <Panel title={kind === 'audio' ? words.sound : words.look}>
      {isWanted ? (
        <Asked name={['media-contents', sid]} load={async () => (await api.media.getContent(sid)).blob()}>
          {(blob) => <Shown blob={blob} name={filename ?? sid} kind={kind} />}
        </Asked>
      ) : (
        <Button onClick={() => setWanted(true)}>{words.load}</Button>
      )}
    </Panel>
  );
}

type Kind = 'image' | 'audio' | 'video' | null;

/** What a browser can do with it. Nothing is played whose type is only what somebody said of it. */
function kindOf({ mimeType, scan }: Media): Kind {
  if (mimeType?.startsWith('image/')) return 'image';
  if (scan.result !== 'CLEAN') return null;
  if (mimeType?.startsWith('audio/')) return 'audio';
  return mimeType?.startsWith('video/') ? 'video' : null;
}

function Shown({ blob, name, kind }: { blob: Blob; name: string; kind: Kind }) {
  const words = useResourceWords().media;
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (!url) return null;
  return (
    <div className="grid justify-items-start gap-3">
      {kind === 'image' && <img src={url} alt={name} className="max-h-96 max-w-full rounded" />}
      {(kind === 'audio' || kind === 'video') && <Played url={url} name={name} kind={kind} />}
      <a href={url} download={name} className={buttonClass()}>
        {words.keep}
      </a>
    </div>
  );
}

function Played({ url, name, kind }: { url: string; name: string; kind: 'audio' | 'video' }) {
  const words = useResourceWords().media;
  const [isUnplayable, setUnplayable] = useState(false);
  if (isUnplayable) return <p role="status">{words.unplayable}</p>;
  const Element = kind;
  return (
    <Element
      src={url}
      aria-label={name}
      controls
      className="max-h-96 max-w-full rounded"
      onError={() => setUnplayable(true)}
    />
  );
}

function Delete({ sid }: { sid: string }) {
  const words = useResourceWords().media;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  return (
    <DeleteButton
      name="media"
      label={words.remove}
      sure={words.removeSurely}
      remove={() => api.media.delete(sid)}
      onGone={() => navigate({ to: '/$environment/$account/media', params: here })}
    />
  );
}
