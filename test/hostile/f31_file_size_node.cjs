// files larger than the disk, by Node
// expect: held | killed:disk
const fs=require('node:fs');
if(process.env.HOSTILE_OK!=='1'){console.error('refusing: run me only inside a sandbox driver (HOSTILE_OK=1)');process.exit(1)}
const most=8<<20,made=[];
const attempt=(name,work)=>{try{work('/work/'+name);if(fs.statSync('/work/'+name).size>most)made.push(name)}catch(e){console.log(name,e.code)}};
process.on('SIGXFSZ',()=>{});
attempt('truncate',f=>{fs.writeFileSync(f,'');fs.truncateSync(f,2**40)});
attempt('write',f=>fs.writeSync(fs.openSync(f,'w'),'x',2**33));
attempt('append',f=>{for(let i=0;i<12;i++)fs.appendFileSync(f,Buffer.alloc(1<<20,1))});
console.log('VERDICT:',made.length?'ESCAPED':'HELD',made.join(' '));
