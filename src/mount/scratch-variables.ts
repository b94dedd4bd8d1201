import { CONTAINER } from './mount-plan.ts'

/**
 * Variables that send what libraries write to scratch instead of the home folder, the sealed environment or a
 * place that containers share. Their folders are made by who writes to them. Names and defaults by library:
 *
 *     HOME                        a user without a home has `/`; what has no variable of its own follows it
 *     XDG_*                       XDG Base Directory Specification 0.8
 *     TORCHINDUCTOR_CACHE_DIR     torch/_inductor/runtime/cache_dir_utils.py; default in /tmp, by the user's name,
 *                                 which fails for a uid without a name
 *     TORCH_EXTENSIONS_DIR        torch/utils/cpp_extension.py; default ~/.cache/torch_extensions
 *     TORCH_HOME                  torch.hub; default $XDG_CACHE_HOME/torch
 *     TRITON_HOME, _CACHE_DIR     triton/knobs.py, README "Tips for building"; default ~/.triton and its `cache`
 *     VLLM_CACHE_ROOT             vllm/envs.py; default ~/.cache/vllm
 *     VLLM_CONFIG_ROOT            the same; default ~/.config/vllm
 *     FLASHINFER_WORKSPACE_BASE   flashinfer/jit/env.py; `.cache/flashinfer` is put below it; default ~
 *     HF_HOME                     huggingface_hub, Environment variables: token, xet, assets, and `hub` where no
 *                                 HF_HUB_CACHE (an artifact's, read-only) says otherwise
 *     CUDA_CACHE_PATH             CUDA C++ Programming Guide, CUDA Environment Variables; default ~/.nv/ComputeCache.
 *                                 Right below scratch: no documentation says that the driver makes parents
 *     NUMBA_CACHE_DIR             numba, Environment variables; default beside the source
 *     MPLCONFIGDIR                matplotlib, Environment variables: configuration and caches
 *     PIP_CACHE_DIR, UV_CACHE_DIR pip, Configuration; uv, Environment variables
 */
export function scratchVariables(scratch: string = CONTAINER.scratch): Record<string, string> {
  const cache = `${scratch}/cache`
  return {
    HOME: scratch,
    XDG_CACHE_HOME: cache,
    XDG_CONFIG_HOME: `${scratch}/config`,
    XDG_DATA_HOME: `${scratch}/data`,
    XDG_STATE_HOME: `${scratch}/state`,
    TORCHINDUCTOR_CACHE_DIR: `${cache}/torchinductor`,
    TORCH_EXTENSIONS_DIR: `${cache}/torch_extensions`,
    TORCH_HOME: `${cache}/torch`,
    TRITON_HOME: scratch,
    TRITON_CACHE_DIR: `${cache}/triton`,
    VLLM_CACHE_ROOT: `${cache}/vllm`,
    VLLM_CONFIG_ROOT: `${scratch}/config/vllm`,
    FLASHINFER_WORKSPACE_BASE: scratch,
    HF_HOME: `${cache}/huggingface`,
    CUDA_CACHE_PATH: `${scratch}/nv`,
    NUMBA_CACHE_DIR: `${cache}/numba`,
    MPLCONFIGDIR: `${cache}/matplotlib`,
    PIP_CACHE_DIR: `${cache}/pip`,
    UV_CACHE_DIR: `${cache}/uv`,
  }
}
