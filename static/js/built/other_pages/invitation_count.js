for(let t of document.querySelectorAll("button[data-count-lines]")){let e=document.getElementById(t.dataset.countLines??"");if(!(e instanceof HTMLTextAreaElement))continue;let c=t.textContent,o=()=>{let n=e.value.split(`
`).filter(a=>a.trim()).length,{one:l="",many:s=""}=t.dataset;t.textContent=n===0?c:n===1?l:s.replace("#",String(n))};e.addEventListener("input",o),o()}
